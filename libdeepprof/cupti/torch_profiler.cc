#include "libdeepprof/cupti/torch_profiler.h"

#include <dlfcn.h>

#include <algorithm>

#include "libdeepprof/cupti/library.h"

namespace deepprof::cupti {

// bool torch::autograd::profiler::isProfilerEnabledInMainThread(): compares a pointer with null.
TorchProfilerIsOn find_torch_profiler() {
  // What is not mapped dlopen looks for in the file system, with the loader's lock.
  if (!is_mapped("libtorch_cpu.so")) return nullptr;
  void* torch = ::dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);
  return torch == nullptr
             ? nullptr
             : reinterpret_cast<TorchProfilerIsOn>(
                   ::dlsym(torch, "_ZN5torch8autograd8profiler29isProfilerEnabledInMainThreadEv"));
}

void TorchProfiler::look(int64_t now_ns) {
  const bool on = is_on();
  if (on && !was_on_) on_since_ns_ = now_ns;
  if (on) last_on_ns_ = now_ns;
  was_on_ = on;
}

bool TorchProfiler::long_over(int64_t since_ns, int64_t now_ns) const {
  return !was_on_ && seen(since_ns) &&
         now_ns - last_on_ns_ >= std::max(kLong_ns, last_on_ns_ - on_since_ns_);
}

}  // namespace deepprof::cupti
