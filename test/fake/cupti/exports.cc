// The functions of a replay libcupti.so that CUPTI of every version has. A stand-in: the records it
// returns were recorded or modelled, no GPU is asked. See settings.h for the faults it makes on
// demand.
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "test/fake/clock.h"
#include "test/fake/cupti/account.h"
#include "test/fake/cupti/entry.h"
#include "test/fake/cupti/settings.h"
#include "test/fake/cupti/worker.h"
#include "test/fake/driver.h"

namespace deepprof::fake {
namespace {

struct ResultName {
  int result;
  const char* name;
};
constexpr ResultName kResultNames[] = {{0, "CUPTI_SUCCESS"},
                                       {1, "CUPTI_ERROR_INVALID_PARAMETER"},
                                       {12, "CUPTI_ERROR_MAX_LIMIT_REACHED"},
                                       {13, "CUPTI_ERROR_NOT_READY"},
                                       {14, "CUPTI_ERROR_NOT_COMPATIBLE"},
                                       {15, "CUPTI_ERROR_NOT_INITIALIZED"},
                                       {21, "CUPTI_ERROR_INVALID_KIND"},
                                       {35, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"},
                                       {39, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"},
                                       {999, "CUPTI_ERROR_UNKNOWN"}};

void block(int64_t for_ms) {
  if (for_ms == 0) return;
  if (for_ms < 0)
    for (;;) pause();
  sleep_until_monotonic(monotonic_ns() + for_ms * 1'000'000);
}

#ifdef FAKE_CUPTI_SELECTS_CALLS
// The genuine functions do not say what becomes of an id that they do not know.
void note_unknown_call(Domain domain, uint32_t id) {
  if (!driver_api_name(static_cast<uint32_t>(domain), id)) ++account().api_misuse;
}
#endif

int enable_kind(uint32_t kind, bool wanted) {
  const int refused = begin_v1(wanted ? "cuptiActivityEnable" : "cuptiActivityDisable", kind);
  return refused ? refused : set_kind(client(0), kind, wanted);
}

}  // namespace

extern "C" {

int cuptiGetVersion(uint32_t* version) {
  if (!version) return kInvalidParameter;
  *version = kVersion.api;
  return kSuccess;
}

int cuptiGetResultString(int result, const char** text) {
  for (const ResultName& row : kResultNames) {
    if (row.result == result) return *text = row.name, kSuccess;
  }
  *text = "CUPTI_ERROR_UNNAMED";
  return kSuccess;
}

int cuptiGetTimestamp(uint64_t* timestamp) { return timestamp_v1(timestamp); }

// There is no way back to CUPTI's own clock.
int cuptiActivityRegisterTimestampCallback(uint64_t (*now)()) {
  if (const int refused = begin_v1("cuptiActivityRegisterTimestampCallback")) return refused;
  if (!now) return kInvalidParameter;
  set_records_clock(now);
  return kSuccess;
}

int cuptiGetLastError() { return kSuccess; }
int cuptiSetThreadIdType(int) { return kSuccess; }  // recorded ids are those of the system
int cuptiGetThreadIdType(int* type) { return *type = 1, kSuccess; }
int cuptiFinalize() { return begin("cuptiFinalize"); }

// Names of calls.

int cuptiGetCallbackName(uint32_t domain, uint32_t id, const char** name) {
  const char* found = driver_api_name(domain, id);
  if (!found) return kInvalidParameter;
  *name = found;
  return kSuccess;
}

// The callback side.

int cuptiSubscribe(Client** subscriber, void (*callback)(void*, uint32_t, uint32_t, const void*),
                   void* data) {
  if (const int refused = begin_v1("cuptiSubscribe")) return refused;
  for (int i = 0; i < kClients; ++i) {
    if (client(i).subscribed) return kMultipleSubscribers;
  }
  return subscribe(client(0), subscriber, callback, data);
}

int cuptiUnsubscribe(Client* subscriber) {
  if (const int refused = begin("cuptiUnsubscribe")) return refused;
  if (!subscriber || !subscriber->subscribed) return kInvalidParameter;
  for (auto& domain : subscriber->callback_on) domain.set_all(false);
  subscriber->subscribed = false;
  return kSuccess;
}

int cuptiEnableCallback(uint32_t enable, Client* subscriber, uint32_t domain, uint32_t id) {
  if (const int refused = begin("cuptiEnableCallback")) return refused;
  if (!subscriber || domain == 0 || domain > 5) return kInvalidParameter;
  if (domain < 4) subscriber->callback_on[domain].set(id, enable != 0);
  return kSuccess;
}

int cuptiEnableDomain(uint32_t enable, Client* subscriber, uint32_t domain) {
  if (const int refused = begin("cuptiEnableDomain")) return refused;
  if (!subscriber || domain == 0 || domain > 5) return kInvalidParameter;
  if (domain < 4) subscriber->callback_on[domain].set_all(enable != 0);
  return kSuccess;
}

// The activity side.

int cuptiActivityEnable(uint32_t kind) { return enable_kind(kind, true); }
int cuptiActivityDisable(uint32_t kind) { return enable_kind(kind, false); }

int cuptiActivityRegisterCallbacks(decltype(BufferCallbacks::request) request,
                                   decltype(BufferCallbacks::complete) complete) {
  if (const int refused = begin_v1("cuptiActivityRegisterCallbacks")) return refused;
  if (!request || !complete) return kInvalidParameter;
  auto* callbacks = new BufferCallbacks;
  callbacks->request = request;
  callbacks->complete = complete;
  client(0).buffers = callbacks;
  client(0).in_use = true;
  return kSuccess;
}

int cuptiActivityFlushAll(uint32_t flags) {
  constexpr uint32_t kForced = 1;
  const bool forced = (flags & kForced) != 0;
  ++(forced ? account().forced_flushes : account().flushes);
  if (const int refused = begin("cuptiActivityFlushAll")) return refused;
  block(settings().flush_blocks_ms);
  if (forced) block(settings().forced_blocks_ms);
  flush_all(forced);
  return kSuccess;
}

int cuptiActivityFlushPeriod(uint32_t) { return begin("cuptiActivityFlushPeriod"); }

int cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid_bytes, uint8_t** record) {
  return next_record(buffer, valid_bytes, record);
}

int cuptiActivityGetNumDroppedRecords(void*, uint32_t, size_t* dropped) {
  if (const int refused = begin_v1("cuptiActivityGetNumDroppedRecords")) return refused;
  *dropped = client(0).dropped.exchange(0);
  return kSuccess;
}

int cuptiActivitySetAttribute(uint32_t attribute, size_t* size, void* value) {
  if (const int refused = begin_v1("cuptiActivitySetAttribute", attribute)) return refused;
  return set_attribute(client(0), attribute, size, value);
}

int cuptiActivityGetAttribute(uint32_t attribute, size_t* size, void* value) {
  if (const int refused = begin_v1("cuptiActivityGetAttribute", attribute)) return refused;
  return get_attribute(client(0), attribute, size, value);
}

#ifdef FAKE_CUPTI_SELECTS_CALLS
int cuptiActivityEnableRuntimeApi(uint32_t id, uint8_t enable) {
  if (const int refused = begin_v1("cuptiActivityEnableRuntimeApi", id)) return refused;
  note_unknown_call(Domain::runtime, id);
  client(0).calls[static_cast<uint32_t>(Domain::runtime)].set(id, enable != 0);
  return kSuccess;
}

int cuptiActivityEnableDriverApi(uint32_t id, uint8_t enable) {
  if (const int refused = begin_v1("cuptiActivityEnableDriverApi", id)) return refused;
  note_unknown_call(Domain::driver, id);
  client(0).calls[static_cast<uint32_t>(Domain::driver)].set(id, enable != 0);
  return kSuccess;
}
#endif

}  // extern "C"
}  // namespace deepprof::fake
