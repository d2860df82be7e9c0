#include "test/fake/host/other_tool.h"

#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "test/fake/clock.h"

namespace deepprof::fake {
namespace {

constexpr uint32_t kKinds[] = {1, 2, 10, 4, 5, 17, 38};  // those that torch.profiler enables
constexpr size_t kBufferBytes = size_t{4} << 20;
constexpr uint32_t kForced = 1, kPerThreadBuffers = 9;

void request(uint8_t** buffer, size_t* size, size_t* max_records) {
  *buffer = static_cast<uint8_t*>(aligned_alloc(8, kBufferBytes));
  *size = kBufferBytes;
  *max_records = 0;
}

// A buffer may be somebody else's, requested before we took over: it is not ours to free, so none
// is.
void complete(void*, uint32_t, uint8_t*, size_t, size_t) {}

// torch.profiler has CUPTI read the processor's cycle counter: ticks since the machine started.
uint64_t cycle_counter() { return static_cast<uint64_t>(monotonic_ns()) / 2 * 5; }

void* loaded_cupti() {
  for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8"}) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return library;
  }
  return nullptr;
}

template <typename... Arguments>
void call(void* library, const char* name, Arguments... arguments) {
  if (auto* function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name)))
    function(arguments...);
}

bool exports(void* library, const char* name) { return dlsym(library, name) != nullptr; }

bool is_loaded(const char* library) { return dlopen(library, RTLD_NOW | RTLD_NOLOAD) != nullptr; }

// torch.profiler is on from the end of its warm-up until it writes down what it has.
void tell_torch(int is_on) {
  if (void* torch = dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_NOLOAD))
    call(torch, "fakeTorchProfilerIsOn", is_on);
}

void wait_for(const Job& job, double share) {
  while (job.progress() < share) std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

void ignore_call(void*, uint32_t, uint32_t, const void*) {}
void request_v2(uint8_t** buffer, size_t* size, size_t* max_records, void*) {
  request(buffer, size, max_records);
}
// of our subscriber: ours for certain
void complete_v2(uint8_t* buffer, size_t, size_t, void*) { free(buffer); }

// As XLA does from CUPTI 13.3 on.
void work_v2(const Job& job, void* cupti, double to) {
  struct {
    size_t struct_size = 40;
    const char* name = "other tool";
    char* old_name = nullptr;
    size_t old_name_size = 0;
    uint8_t allow_multiple = 1, padding[7] = {};
  } params;
  void* subscriber = nullptr;
  void* const nothing = nullptr;
  call(cupti, "cuptiSubscribe_v2", &subscriber, &ignore_call, nothing, static_cast<void*>(&params));
  call(cupti, "cuptiActivityRegisterCallbacks_v2", subscriber, &request_v2, &complete_v2);
  for (const uint32_t kind : kKinds)
    call(cupti, "cuptiActivityEnable_v2", subscriber, kind, nothing);
  wait_for(job, to);
  for (const uint32_t kind : kKinds)
    call(cupti, "cuptiActivityDisable_v2", subscriber, kind, nothing);
  call(cupti, "cuptiActivityFlushAll", uint32_t{0});
}

void work(const Job& job, double from, double to) {
  wait_for(job, from);
  void* cupti = loaded_cupti();
  if (!cupti) return;
  if (exports(cupti, "cuptiActivityEnable_v2") && !is_loaded("libtorch_cpu.so"))
    return work_v2(job, cupti, to);
  call(cupti, "cuptiActivityRegisterTimestampCallback", &cycle_counter);
  call(cupti, "cuptiActivityRegisterCallbacks", &request, &complete);
  for (const uint32_t kind : kKinds) call(cupti, "cuptiActivityEnable", kind);
  tell_torch(1);
  wait_for(job, to);
  tell_torch(0);
  for (const uint32_t kind : kKinds) call(cupti, "cuptiActivityDisable", kind);
  call(cupti, "cuptiActivityFlushAll", kForced);
  uint8_t off = 0;
  size_t bytes = sizeof off;
  call(cupti, "cuptiActivitySetAttribute", kPerThreadBuffers, &bytes, static_cast<void*>(&off));
}

}  // namespace

OtherTool::OtherTool(const Options& options, Job& job) {
  double from = 0, to = 0;
  if (sscanf(options.other_tool.c_str(), "%lf,%lf", &from, &to) != 2) return;
  thread_ = std::thread([&job, from, to] { work(job, from, to); });
}

void OtherTool::finish() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace deepprof::fake
