// Time and memory of mine() by the length of the recording.
//
//   bench_mine [LARGEST]    10^4, 10^5, ... ops up to LARGEST (default 10^7)
//
// The job: training steps of about 1,500 ops with 40 equal layers, an optimizer run, an input copy,
// 1 % noise, two streams; every op has a correlation id, launch calls are recorded up to 10^7 ops.
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "analysis/iterations/mine.h"
#include "test/support/job.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

Trace make_trace(uint32_t count) {
  Trace trace;
  Random random(1);
  trace.ops.reserve(count + 1);
  trace.threads.push_back({1, 1, ""});
  std::vector<NameId> names;
  for (int i = 0; i < 400; ++i) names.push_back(trace.names.intern("kernel_" + std::to_string(i)));
  names.push_back(trace.names.intern("multi_tensor_apply_kernel<adam>"));
  std::vector<uint32_t> step{0};  // index into names; 0 stands for the copy
  for (uint32_t i = 1; i < 60; ++i) step.push_back(i);
  for (int layer = 0; layer < 40; ++layer) {
    for (uint32_t i = 60; i < 95; ++i) step.push_back(i);
  }
  for (uint32_t i = 100; i < 140; ++i) step.push_back(i);
  step.insert(step.end(), {400, 400, 400});
  Detail copy;
  copy.copy_kind = CopyKind::host_to_device;
  copy.bytes = 65536;
  trace.details.push_back(copy);
  const bool calls = count <= 10'000'000;
  const NameId api = trace.names.intern("cudaLaunchKernel");
  if (calls) trace.calls.reserve(count + 1);
  int64_t time = 1'000'000;
  while (trace.ops.size() < count) {
    for (const uint32_t kernel : step) {
      if (trace.ops.size() >= count) break;
      uint32_t name = kernel;
      if (random.chance(.01)) {
        if (random.chance(.5)) continue;
        name = static_cast<uint32_t>(random.between(1, 399));
      }
      Op op;
      op.start_ns = time;
      op.duration_ns = 5000;
      op.correlation = static_cast<uint32_t>(trace.ops.size()) + 1;
      op.name = names[name];
      op.kind = name == 0 ? Kind::memcpy : Kind::kernel;
      op.detail = name == 0 ? 1 : 0;
      op.stream = random.chance(.02) ? 20 : 7;
      trace.ops.push_back(op);
      if (calls) trace.calls.push_back({time - 3000, 2000, op.correlation, api, 0});
      time += 6000;
    }
    time += 200'000;
  }
  trace.finish();
  return trace;
}

// A line of /proc/self/status, in KiB.
long status_kib(const char* name) {
  std::FILE* file = std::fopen("/proc/self/status", "r");
  char line[256];
  long value = 0;
  while (file != nullptr && std::fgets(line, sizeof line, file) != nullptr) {
    if (std::strncmp(line, name, std::strlen(name)) == 0)
      value = std::atol(line + std::strlen(name) + 1);
  }
  if (file != nullptr) std::fclose(file);
  return value;
}

// Makes VmHWM the memory held now.
void reset_peak() {
  if (std::FILE* file = std::fopen("/proc/self/clear_refs", "w")) {
    std::fputs("5", file);
    std::fclose(file);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const double largest = argc > 1 ? std::atof(argv[1]) : 1e7;
  std::printf("%12s %10s %10s %14s %12s\n", "ops", "seconds", "ns/op", "MB beyond it",
              "iterations");
  for (double size = 1e4; size <= largest * 1.01; size *= 10) {
    const Trace trace = make_trace(static_cast<uint32_t>(size));
    malloc_trim(0);
    reset_peak();
    const long before = status_kib("VmRSS:");
    // processor time: other work on the machine does not count
    const std::clock_t from = std::clock();
    const Mined mined = mine(trace);
    const double seconds = static_cast<double>(std::clock() - from) / CLOCKS_PER_SEC;
    std::printf("%12.0f %10.3f %10.1f %14.0f %12zu\n", size, seconds, seconds * 1e9 / size,
                static_cast<double>(status_kib("VmHWM:") - before) / 1024,
                mined.devices.at(0).iterations.size());
    std::fflush(stdout);
  }
}
