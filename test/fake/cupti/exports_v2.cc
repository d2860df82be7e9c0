// The v2 family (CUPTI 13.3 and later): several subscribers in one process, each with its own
// kinds, buffers and losses. Every function of it but cuptiSubscribe_v2 is missing before; 13.0
// exports that one alone.
#include <algorithm>
#include <cstring>

#include "test/fake/cupti/account.h"
#include "test/fake/cupti/entry.h"
#include "test/fake/driver.h"

namespace deepprof::fake {
namespace {

#ifdef FAKE_CUPTI_HAS_SUBSCRIBE_V2
struct SubscriberParams {  // CUpti_SubscriberParams
  size_t struct_size;
  const char* subscriber_name;
  char* old_subscriber_name;
  size_t old_subscriber_size;
  uint8_t allow_multiple_subscribers;
  uint8_t padding[7];
};

const Client* first_subscriber() {
  for (int i = 0; i < kClients; ++i) {
    if (client(i).subscribed) return &client(i);
  }
  return nullptr;
}

void tell_holder(const Client& holder, SubscriberParams* params) {
  if (!params || !params->old_subscriber_name || params->old_subscriber_size == 0) return;
  strncpy(params->old_subscriber_name, holder.name, params->old_subscriber_size - 1);
  params->old_subscriber_name[params->old_subscriber_size - 1] = 0;
}
#endif

}  // namespace

extern "C" {

#ifdef FAKE_CUPTI_HAS_SUBSCRIBE_V2
int cuptiSubscribe_v2(Client** subscriber, void (*callback)(void*, uint32_t, uint32_t, const void*),
                      void* data, SubscriberParams* params) {
  const bool several = kVersion.has_v2 && params && params->allow_multiple_subscribers;
  const int refused = several ? begin_v2("cuptiSubscribe_v2") : begin("cuptiSubscribe_v2");
  if (refused) return refused;
  if (params && params->struct_size == 0) return kInvalidParameter;
  if (const Client* holder = first_subscriber()) {
    tell_holder(*holder, params);
    if (!several || !holder->allows_others) return kMultipleSubscribers;
  }
  const int index = several ? free_client() : 0;
  if (index < 0) return kMultipleSubscribers;
  Client& own = client(index);
  own.allows_others = several;
  const char* name = params && params->subscriber_name ? params->subscriber_name : "unnamed";
  strncpy(own.name, name, sizeof own.name - 1);
  return subscribe(own, subscriber, callback, data);
}
#endif

#ifdef FAKE_CUPTI_HAS_V2

int cuptiActivityEnable_v2(Client* subscriber, uint32_t kind, void*) {
  if (const int refused = begin_v2("cuptiActivityEnable_v2", kind)) return refused;
  return subscriber ? set_kind(*subscriber, kind, true) : kInvalidParameter;
}

int cuptiActivityDisable_v2(Client* subscriber, uint32_t kind, void*) {
  if (const int refused = begin_v2("cuptiActivityDisable_v2", kind)) return refused;
  return subscriber ? set_kind(*subscriber, kind, false) : kInvalidParameter;
}

int cuptiActivityRegisterCallbacks_v2(Client* subscriber,
                                      decltype(BufferCallbacks::request_v2) request,
                                      decltype(BufferCallbacks::complete_v2) complete) {
  if (const int refused = begin_v2("cuptiActivityRegisterCallbacks_v2")) return refused;
  if (!subscriber || !request || !complete) return kInvalidParameter;
  auto* callbacks = new BufferCallbacks;
  callbacks->request_v2 = request;
  callbacks->complete_v2 = complete;
  subscriber->buffers = callbacks;
  return kSuccess;
}

int cuptiActivityGetNumDroppedRecords_v2(Client* subscriber, void*, uint32_t, size_t* dropped) {
  if (const int refused = begin_v2("cuptiActivityGetNumDroppedRecords_v2")) return refused;
  if (!subscriber) return kInvalidParameter;
  *dropped = subscriber->dropped.exchange(0);
  return kSuccess;
}

int cuptiActivityGetNextRecord_v2(Client* subscriber, uint8_t* buffer, size_t valid_bytes,
                                  uint8_t** record) {
  return subscriber ? next_record(buffer, valid_bytes, record) : kInvalidParameter;
}

int cuptiActivitySetAttribute_v2(Client* subscriber, uint32_t attribute, size_t* size,
                                 void* value) {
  if (const int refused = begin_v2("cuptiActivitySetAttribute_v2", attribute)) return refused;
  return subscriber ? set_attribute(*subscriber, attribute, size, value) : kInvalidParameter;
}

int cuptiActivityGetAttribute_v2(Client* subscriber, uint32_t attribute, size_t* size,
                                 void* value) {
  if (const int refused = begin_v2("cuptiActivityGetAttribute_v2", attribute)) return refused;
  return subscriber ? get_attribute(*subscriber, attribute, size, value) : kInvalidParameter;
}

int cuptiActivityEnableRuntimeApi_v2(Client* subscriber, uint32_t id, uint8_t enable) {
  if (const int refused = begin_v2("cuptiActivityEnableRuntimeApi_v2", id)) return refused;
  if (!subscriber) return kInvalidParameter;
  subscriber->calls[static_cast<uint32_t>(Domain::runtime)].set(id, enable != 0);
  return kSuccess;
}

int cuptiActivityEnableDriverApi_v2(Client* subscriber, uint32_t id, uint8_t enable) {
  if (const int refused = begin_v2("cuptiActivityEnableDriverApi_v2", id)) return refused;
  if (!subscriber) return kInvalidParameter;
  subscriber->calls[static_cast<uint32_t>(Domain::driver)].set(id, enable != 0);
  return kSuccess;
}

int cuptiGetTimestamp_v2(Client* subscriber, uint64_t* timestamp) {
  if (!subscriber || !timestamp) return kInvalidParameter;
  *timestamp = records_clock();
  return kSuccess;
}

int cuptiActivityGetStructSize(uint32_t kind, uint32_t, size_t* bytes) {
  if (const int refused = begin("cuptiActivityGetStructSize", kind)) return refused;
  *bytes = record_bytes(kind);
  return *bytes ? kSuccess : kInvalidKind;
}

#endif

}  // extern "C"
}  // namespace deepprof::fake
