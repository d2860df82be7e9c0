// A stand-in for libcuda.so.1: no GPU behind it. What tests need of the genuine driver is genuine:
// cuInit loads the file named by CUDA_INJECTION64_PATH and calls its InitializeInjection, once a
// process; the driver's own exit handler stands where the driver's does; a forked child gets
// CUDA_ERROR_NOT_INITIALIZED.
//
//   FAKE_CUDA_ATEXIT=after|before|context|none   the driver registers its exit handler after
//                                        (default: so it runs first) or before the injected
//                                        library has registered its own, or with the first
//                                        context, which takes a while to make
//   FAKE_CUDA_INIT_MS=0                  how long cuInit goes on after the injected library has
//                                        returned
//   FAKE_CUDA_DRIVER_VERSION=13040       what cuDriverGetVersion says
//   FAKE_CUDA_DEVICES=1                  number of devices, where the recording names none
//   FAKE_CUDA_BUS_IDS=0000:41:00.0,...   where each device sits, in CUDA's order; else
//                                        0000:01:00.0 and on
#include "test/fake/driver.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "test/fake/clock.h"

namespace deepprof::fake {
namespace {

constexpr int kSuccess = 0, kInvalidValue = 1, kNotInitialized = 3, kInvalidDevice = 101;

struct FakeDevice {
  std::string name = "Stand-in GPU (no silicon)";
  int multiprocessors = 132, major = 9, minor = 0, threads_per_multiprocessor = 2048;
  size_t memory_bytes = size_t{80} << 30;
};

struct Driver {
  std::once_flag initialised, context;
  std::atomic<pid_t> home{0};          // the process that called cuInit; 0: nobody yet
  std::atomic<pid_t> initialising{0};  // the thread inside cuInit
  std::atomic<bool> gone{false};
  std::atomic<bool> context_made{false};
  std::mutex mutex;
  std::atomic<const Tool*> tools[kMaxTools] = {};
  std::vector<FakeDevice> devices;
};

// Never destroyed: threads launch while the process ends.
Driver& driver() {
  static Driver* const it = new Driver;
  return *it;
}

const char* setting(const char* name, const char* otherwise) {
  const char* value = getenv(name);
  return value && *value ? value : otherwise;
}

void at_exit() {
  Driver& d = driver();
  if (d.home.load() != getpid()) return;
  for (auto& slot : d.tools) {
    if (const Tool* tool = slot.load()) tool->driver_gone();
  }
  d.gone = true;
}

// As the genuine driver does it; a library that cannot be loaded is no reason to fail.
void load_injection() {
  const char* path = getenv("CUDA_INJECTION64_PATH");
  if (!path || !*path) return;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  if (auto* entry = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"))) entry();
}

void initialise() {
  Driver& d = driver();
  d.devices.resize(static_cast<size_t>(atoi(setting("FAKE_CUDA_DEVICES", "1"))));
  d.home = getpid();
  d.initialising = static_cast<pid_t>(syscall(SYS_gettid));
  const std::string when = setting("FAKE_CUDA_ATEXIT", "after");
  if (when == "before") atexit(at_exit);
  load_injection();
  sleep_until_monotonic(monotonic_ns() +
                        int64_t{1'000'000} * atoi(setting("FAKE_CUDA_INIT_MS", "0")));
  d.initialising = 0;
  if (when == "after") atexit(at_exit);
}

bool usable() {
  const Driver& d = driver();
  return d.home.load() == getpid() && !d.gone.load();
}

bool known_device(int device) {
  return device >= 0 && static_cast<size_t>(device) < driver().devices.size();
}

void create_context() {
  const bool late_handler = std::string(setting("FAKE_CUDA_ATEXIT", "")) == "context";
  // a genuine one takes longer still
  sleep_until_monotonic(monotonic_ns() + (late_handler ? 700'000'000 : 50'000'000));
  if (late_handler) atexit(at_exit);
  driver().context_made = true;
  for (auto& slot : driver().tools) {
    if (const Tool* tool = slot.load()) tool->context_created();
  }
}

// Who launches meanwhile waits.
void create_context_once() { std::call_once(driver().context, create_context); }

void hand_to_tools(const Work& work) {
  for (auto& slot : driver().tools) {
    if (const Tool* tool = slot.load(std::memory_order_acquire)) tool->submit(work);
  }
}

// A call into the functions below is itself an API call, of which a CUPTI makes a record. Ids of
// its own, far from those of any recording.
void trace_own_call(const char* name, int64_t start_ns) {
  static std::atomic<uint32_t> calls{0xf000'0000};
  const recording::Call call{start_ns, realtime_ns(), ++calls, 0, 0, 0};
  Work work;
  work.call = &call;
  work.api = find_api_call(name);
  work.pid = static_cast<uint32_t>(getpid());
  work.tid = static_cast<uint64_t>(syscall(SYS_gettid));
  work.of_driver = true;
  hand_to_tools(work);
}

}  // namespace

extern "C" {

int fakeDriverSubmit(const Work* work) {
  if (!usable()) return kNotInitialized;
  create_context_once();
  hand_to_tools(*work);
  return kSuccess;
}

int fakeDriverLaunch(const char* kernel, uint64_t nanoseconds) {
  static std::mutex mutex;
  static auto* const kept = new std::set<std::string>;  // records point at the names
  static std::atomic<uint32_t> correlations{0};
  const char* name = nullptr;
  {
    const std::lock_guard lock(mutex);
    name = kept->insert(kernel).first->c_str();
  }
  const int64_t now = realtime_ns();
  const uint32_t correlation = ++correlations;
  const recording::Call call{now, now + 4000, correlation, 0, 0, 0};
  recording::Op op{};
  op.kind = 1;
  op.start_ns = now + 5000;
  op.end_ns = op.start_ns + static_cast<int64_t>(nanoseconds);
  op.correlation = correlation;
  op.stream = 7;
  const recording::Op* const ops = &op;
  Work work;
  work.call = &call;
  work.api = find_api_call("cudaLaunchKernel");
  work.ops = &ops;
  work.op_count = 1;
  work.names = &name;
  work.pid = static_cast<uint32_t>(getpid());
  work.tid = static_cast<uint64_t>(syscall(SYS_gettid));
  return fakeDriverSubmit(&work);
}

int fakeDriverUnloadModule() {
  if (!usable()) return kNotInitialized;
  for (auto& slot : driver().tools) {
    if (const Tool* tool = slot.load()) tool->module_unloading();
  }
  return kSuccess;
}

void fakeDriverSetDevices(const recording::Device* devices, const char* const* names,
                          uint32_t count) {
  Driver& d = driver();
  const std::lock_guard lock(d.mutex);
  for (uint32_t i = 0; i < count && devices[i].id < 64; ++i) {
    if (d.devices.size() <= devices[i].id) d.devices.resize(devices[i].id + 1);
    FakeDevice& to = d.devices[devices[i].id];
    if (*names[devices[i].name]) to.name = names[devices[i].name];
    if (devices[i].sm_count) to.multiprocessors = static_cast<int>(devices[i].sm_count);
    if (devices[i].memory_bytes) to.memory_bytes = devices[i].memory_bytes;
    if (devices[i].compute_major) {
      to.major = static_cast<int>(devices[i].compute_major);
      to.minor = static_cast<int>(devices[i].compute_minor);
    }
    if (devices[i].max_threads_per_sm)
      to.threads_per_multiprocessor = static_cast<int>(devices[i].max_threads_per_sm);
  }
}

ApiCall fakeDriverApiCall(const char* name) { return find_api_call(name); }
const char* fakeDriverApiName(Domain domain, uint32_t id) { return api_call_name(domain, id); }

int fakeDriverInitialises() {
  const pid_t by = driver().initialising.load();
  return by != 0 && by != static_cast<pid_t>(syscall(SYS_gettid));
}

int fakeDriverAttach(const Tool* tool) {
  Driver& d = driver();
  if (!usable()) return kNotInitialized;
  const std::lock_guard lock(d.mutex);
  for (auto& slot : d.tools) {
    if (slot.load() == tool) return kSuccess;
    if (slot.load() == nullptr) {
      slot.store(tool, std::memory_order_release);
      return kSuccess;
    }
  }
  return kInvalidValue;
}

// The part of the driver's API that a profiler or a framework asks at start-up.

int cuInit(unsigned flags) {
  if (flags != 0) return kInvalidValue;
  Driver& d = driver();
  std::call_once(d.initialised, initialise);
  return d.home.load() == getpid() ? kSuccess : kNotInitialized;
}

int cuDriverGetVersion(int* version) {
  if (!version) return kInvalidValue;
  *version = atoi(setting("FAKE_CUDA_DRIVER_VERSION", "13040"));
  return kSuccess;
}

int cuDeviceGetCount(int* count) {
  if (!usable()) return kNotInitialized;
  const int64_t start = realtime_ns();
  *count = static_cast<int>(driver().devices.size());
  trace_own_call("cuDeviceGetCount", start);
  return kSuccess;
}

int cuDeviceGet(int* device, int ordinal) {
  if (!usable()) return kNotInitialized;
  if (!known_device(ordinal)) return kInvalidDevice;
  *device = ordinal;
  return kSuccess;
}

int cuDeviceGetName(char* name, int length, int device) {
  if (!usable()) return kNotInitialized;
  if (!known_device(device)) return kInvalidDevice;
  if (length > 0) {
    strncpy(name, driver().devices[static_cast<size_t>(device)].name.c_str(),
            static_cast<size_t>(length) - 1);
    name[length - 1] = 0;
  }
  return kSuccess;
}

int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  if (!usable()) return kNotInitialized;
  if (!known_device(device)) return kInvalidDevice;
  *bytes = driver().devices[static_cast<size_t>(device)].memory_bytes;
  return kSuccess;
}

int cuDeviceGetPCIBusId(char* bus_id, int length, int device) {
  if (!usable()) return kNotInitialized;
  if (!known_device(device)) return kInvalidDevice;
  const std::string list = setting("FAKE_CUDA_BUS_IDS", "");
  size_t from = 0;
  for (int i = 0; i < device && from != std::string::npos; ++i) from = list.find(',', from + 1);
  if (list.empty() || from == std::string::npos) {
    snprintf(bus_id, static_cast<size_t>(length), "0000:%02x:00.0", device + 1);
  } else {
    from += device > 0;
    snprintf(bus_id, static_cast<size_t>(length), "%s",
             list.substr(from, list.find(',', from) - from).c_str());
  }
  return kSuccess;
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
  if (!usable()) return kNotInitialized;
  if (!known_device(device)) return kInvalidDevice;
  const FakeDevice& d = driver().devices[static_cast<size_t>(device)];
  switch (attribute) {
    case 16: *value = d.multiprocessors; break;             // MULTIPROCESSOR_COUNT
    case 39: *value = d.threads_per_multiprocessor; break;  // MAX_THREADS_PER_MULTIPROCESSOR
    case 75: *value = d.major; break;                       // COMPUTE_CAPABILITY_MAJOR
    case 76: *value = d.minor; break;                       // COMPUTE_CAPABILITY_MINOR
    default: *value = 0;
  }
  return kSuccess;
}

int cuCtxGetCurrent(void** context) {
  if (!usable()) return kNotInitialized;
  *context = driver().context_made ? &driver() : nullptr;
  return kSuccess;
}

int cuGetErrorName(int error, const char** name) {
  *name = error == kSuccess          ? "CUDA_SUCCESS"
          : error == kNotInitialized ? "CUDA_ERROR_NOT_INITIALIZED"
                                     : "CUDA_ERROR_UNKNOWN";
  return kSuccess;
}

}  // extern "C"
}  // namespace deepprof::fake
