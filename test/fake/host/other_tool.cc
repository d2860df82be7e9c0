#include "test/fake/host/other_tool.h"

#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace deepprof::fake {
namespace {

constexpr uint32_t kKinds[] = {1, 2, 10, 4, 5, 17, 38};  // those that torch.profiler enables
constexpr size_t kBufferBytes = size_t{4} << 20;

void request(uint8_t** buffer, size_t* size, size_t* max_records) {
  *buffer = static_cast<uint8_t*>(aligned_alloc(8, kBufferBytes));
  *size = kBufferBytes;
  *max_records = 0;
}

// A buffer may be somebody else's, requested before we took over: it is not ours to free, so none is.
void complete(void*, uint32_t, uint8_t*, size_t, size_t) {}

void* loaded_cupti() {
  for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8"}) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return library;
  }
  return nullptr;
}

template <typename... Arguments>
void call(void* library, const char* name, Arguments... arguments) {
  if (auto* function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name))) function(arguments...);
}

void wait_for(const Job& job, double share) {
  while (job.progress() < share) std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

void work(const Job& job, double from, double to) {
  wait_for(job, from);
  void* cupti = loaded_cupti();
  if (!cupti) return;
  call(cupti, "cuptiActivityRegisterCallbacks", &request, &complete);
  for (const uint32_t kind : kKinds) call(cupti, "cuptiActivityEnable", kind);
  wait_for(job, to);
  for (const uint32_t kind : kKinds) call(cupti, "cuptiActivityDisable", kind);
  call(cupti, "cuptiActivityFlushAll", uint32_t{0});
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
