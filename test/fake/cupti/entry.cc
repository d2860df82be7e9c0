#include "test/fake/cupti/entry.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "test/fake/clock.h"
#include "test/fake/cupti/account.h"
#include "test/fake/cupti/encode.h"
#include "test/fake/cupti/settings.h"
#include "test/fake/cupti/worker.h"
#include "test/fake/driver.h"

namespace deepprof::fake {
namespace {

std::atomic<bool> v1_used{false}, v2_used{false}, driver_gone{false};
std::atomic<pid_t> home{0};  // the process in which the driver was first found

void on_driver_gone() {
  if (settings().exit_delivers) flush_all(false);
  driver_gone = true;
  stop_worker();
}

void on_module_unloading() { flush_all(false); }

constexpr Tool kTool{encode_work, announce_context, on_module_unloading, on_driver_gone};

std::atomic<uint64_t (*)()> clients_clock{nullptr};

// The driver that this process has loaded; its stand-in alone has the back door.
void* driver_library() {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return library;
}

template <typename Function>
Function* driver_function(Function*, const char* name) {
  void* library = driver_library();
  return library ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
}

bool attached() {
  static std::atomic<bool> done{false};
  if (done) return true;
  auto* attach = driver_function(&fakeDriverAttach, "fakeDriverAttach");
  if (!attach || attach(&kTool) != 0) return false;
  home = getpid();
  done = true;
  return true;
}

}  // namespace

int begin(const char* function, int64_t detail) {
  // A genuine CUPTI hangs here (HPCToolkit/hpctoolkit#195): nobody may call it in a forked child.
  if (home.load() != 0 && home.load() != getpid()) {
    ++account().calls_after_fork;
    for (;;) pause();
  }
  auto* initialises = driver_function(&fakeDriverInitialises, "fakeDriverInitialises");
  if (initialises && initialises()) ++account().calls_during_init;
  if (const int error = demanded_error(function, detail)) return error;
  if (driver_gone || !attached()) return kVersion.without_driver;
  return kSuccess;
}

int begin_v1(const char* function, int64_t detail) {
  if (const int refused = begin(function, detail)) return refused;
  if (v2_used) return ++account().api_misuse, kNotCompatible;
  v1_used = true;
  return kSuccess;
}

int begin_v2(const char* function, int64_t detail) {
  if (const int refused = begin(function, detail)) return refused;
  if (v1_used) return ++account().api_misuse, kNotCompatible;
  v2_used = true;
  return kSuccess;
}

int subscribe(Client& client, Client** handle,
              void (*callback)(void*, uint32_t, uint32_t, const void*), void* data) {
  if (!handle) return kInvalidParameter;
  client.callback = callback;
  client.callback_data = data;
  client.subscribed = true;
  *handle = &client;
  return kSuccess;
}

int set_kind(Client& client, uint32_t kind, bool wanted) {
  if (kind >= kActivityKinds || record_bytes(kind) == 0) return kInvalidKind;
  client.in_use = true;
  client.kind_on[kind] = wanted;
  if (kind == kRuntimeKind) client.calls[static_cast<uint32_t>(Domain::runtime)].set_all(wanted);
  if (kind == kDriverKind) client.calls[static_cast<uint32_t>(Domain::driver)].set_all(wanted);
  return kSuccess;
}

constexpr uint32_t kZeroedOutBuffer = 5, kPerThreadBuffer = 9;

// Kept as it was set, but the buffers stay as they are: a change while a client traces is
// undefined.
std::atomic<uint8_t> per_thread{kVersion.per_thread_buffers};

int set_attribute(Client& client, uint32_t attribute, const size_t* size, const void* value) {
  if (!size || !value || (attribute == kPerThreadBuffer && !kVersion.has_per_thread_attribute()))
    return kInvalidParameter;
  if (attribute == kPerThreadBuffer) per_thread = *static_cast<const uint8_t*>(value);
  if (attribute == kZeroedOutBuffer) client.zeroed = *static_cast<const uint8_t*>(value) != 0;
  return kSuccess;
}

int get_attribute(const Client& client, uint32_t attribute, size_t* size, void* value) {
  if (!size || !value || (attribute == kPerThreadBuffer && !kVersion.has_per_thread_attribute()))
    return kInvalidParameter;
  memset(value, 0, *size);
  if (*size > 0 && attribute == kZeroedOutBuffer) *static_cast<uint8_t*>(value) = client.zeroed;
  if (*size > 0 && attribute == kPerThreadBuffer) *static_cast<uint8_t*>(value) = per_thread;
  return kSuccess;
}

void set_records_clock(uint64_t (*now)()) { clients_clock = now; }

uint64_t records_clock() {
  const auto now = clients_clock.load();
  return now ? now() : static_cast<uint64_t>(realtime_ns());
}

int64_t ahead_of_wall_clock() {
  const auto now = clients_clock.load();
  return now ? static_cast<int64_t>(now()) - realtime_ns() : 0;
}

int timestamp_v1(uint64_t* timestamp) {
  if (!timestamp) return kInvalidParameter;
  if (v2_used) return ++account().api_misuse, kNotCompatible;
  *timestamp = records_clock();
  return kSuccess;
}

int next_record(uint8_t* buffer, size_t valid_bytes, uint8_t** record) {
  if (!buffer || !record) return kInvalidParameter;
  const auto kind_at = [](const uint8_t* at) {
    uint32_t kind = 0;
    memcpy(&kind, at, sizeof kind);
    return kind;
  };
  uint8_t* next = *record ? *record + record_bytes(kind_at(*record)) : buffer;
  const auto left = static_cast<size_t>(buffer + valid_bytes - next);
  if (next > buffer + valid_bytes || left < sizeof(uint32_t)) return kMaxLimitReached;
  const size_t bytes = record_bytes(kind_at(next));
  if (bytes == 0) return kVersion.unknown_kind;
  if (bytes > left) return kMaxLimitReached;
  *record = next;
  return kSuccess;
}

const char* driver_api_name(uint32_t domain, uint32_t id) {
  auto* name = driver_function(&fakeDriverApiName, "fakeDriverApiName");
  return name ? name(static_cast<Domain>(domain), id) : nullptr;
}

}  // namespace deepprof::fake
