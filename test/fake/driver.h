// The back door of the fake libcuda.so.1: how the host program puts work on the "GPU", and how a
// replay CUPTI listens to it. A genuine driver has no such exports; everything else about it looks
// genuine.
//
// Tests only. Called from the host program's launching threads.
#pragma once

#include <cstdint>

#include "analysis/export/recording_format.h"
#include "test/fake/api_calls.h"

namespace deepprof::fake {

// One call into the API with what it puts on the GPU. Pointers are borrowed for the call alone, but
// for `names`, whose strings the driver's "modules" own: records keep pointing at them.
struct Work {
  const recording::Call* call = nullptr;  // nullptr: a launch that nobody recorded
  ApiCall api{};
  const recording::Op* const* ops = nullptr;
  uint32_t op_count = 0;
  const recording::Allocation* const* allocations = nullptr;
  uint32_t allocation_count = 0;
  const recording::Sync* sync = nullptr;
  const recording::Overhead* overhead = nullptr;
  const char* const* names = nullptr;
  uint32_t pid = 0;
  uint64_t tid = 0;
  bool of_driver = false;  // a call into the driver itself, by whomever: no recording holds it

  int64_t shift_ns = 0;            // added to every time
  uint32_t correlation_shift = 0;  // added to every correlation id that is not 0

  // When the GPU is done with an op: with a speed, as recorded, so much faster, `zero_ns` of the
  // recording being zero_monotonic_ns of CLOCK_MONOTONIC; else `lag_ns` after the launch. Neither:
  // before it returns.
  double speed = 0;
  int64_t zero_ns = 0, zero_monotonic_ns = 0;
  int64_t lag_ns = 0;
};

// What a replay CUPTI hooks into the driver. All may be called from any thread.
struct Tool {
  void (*submit)(const Work& work);
  void (*context_created)();
  void (*module_unloading)();  // names handed out so far are about to go stale
  void (*driver_gone)();       // the driver's atexit handler has run
};

inline constexpr int kMaxTools = 4;

extern "C" {
// Returns 0, or 3 (CUDA_ERROR_NOT_INITIALIZED) before cuInit and in a forked child, as the driver
// does.
int fakeDriverSubmit(const Work* work);
int fakeDriverUnloadModule();
// For jobs in other languages: one cudaLaunchKernel now, of a kernel that takes so long. Copies the
// name.
int fakeDriverLaunch(const char* kernel, uint64_t nanoseconds);
void fakeDriverSetDevices(const recording::Device* devices, const char* const* names,
                          uint32_t count);
// Host programs and tools resolve API names through the driver, so that both see one table.
ApiCall fakeDriverApiCall(const char* name);
const char* fakeDriverApiName(Domain domain, uint32_t id);

// Is cuInit under way on another thread? Who calls CUPTI then may wait for ever.
int fakeDriverInitialises();

// For a libcupti. Returns 0, or 3 where cuInit has not run in this process.
int fakeDriverAttach(const Tool* tool);
}

}  // namespace deepprof::fake
