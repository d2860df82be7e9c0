// How fast and how lean the accounts are: `bench_accounts [OPS]` makes a training run of OPS
// kernels and as many launches (default 5 million, so 10 million events), then times the figures
// and the whole summary.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "analysis/report/figures.h"
#include "analysis/report/summary.h"
#include "libdeepprof/text.h"

using namespace deepprof;

namespace {

constexpr uint32_t kOpsEach = 1000;  // of an iteration

struct Run {
  Trace trace;
  Mined mined;
};

// Every other gap is the host's: the launch comes late, half of those within a synchronize.
Run training_run(uint32_t ops) {
  Run run;
  Trace& trace = run.trace;
  trace.threads.push_back({});
  std::vector<NameId> kernels;
  for (int i = 0; i < 5000; ++i) {
    kernels.push_back(trace.names.intern(
        format_text("void at::native::vectorized_elementwise_kernel<4, "
                    "at::native::CUDAFunctor_%d<float>, at::detail::Array<char*, 3> >(int)",
                    i)));
  }
  const NameId launch = trace.names.intern("cudaLaunchKernel"),
               wait = trace.names.intern("cudaStreamSynchronize");
  DeviceMined device;
  device.verdict = Verdict::iteration;
  device.coverage = device.confidence = 1;
  device.ops_per_iteration = kOpsEach;
  int64_t now = 1'000'000'000;
  for (uint32_t i = 0; i < ops; ++i) {
    const bool late = i % 2 == 0;
    Op op;
    op.start_ns = now + 5000;
    op.duration_ns = 3000 + i * 7919 % 2000;
    op.correlation = i + 1;
    op.name = kernels[i % kOpsEach + 1000 * (i % 5)];
    op.stream = i % 4 == 0 ? 20 : 7;
    op.kind = Kind::kernel;
    trace.ops.push_back(op);
    if (i % 8 == 0) trace.calls.push_back({now, 4000, 0, wait, 0});
    trace.calls.push_back({late ? now + 4100 : now - 2000, 800, i + 1, launch, 0});
    now += 9000 + i * 104729 % 3000;
    device.order.push_back(i);
    if (i % kOpsEach != 0) continue;
    if (!device.iterations.empty()) device.iterations.back().end_ns = op.start_ns;
    Iteration iteration;
    iteration.first = i;
    iteration.last = std::min(i + kOpsEach, ops);
    iteration.start_ns = op.start_ns;
    device.iterations.push_back(iteration);
  }
  device.iterations.back().end_ns = trace.ops.back().end_ns();
  Section section;
  section.kind = SectionKind::training;
  section.last = ops;
  section.start_ns = device.iterations.front().start_ns;
  section.end_ns = device.iterations.back().end_ns;
  section.iterations = static_cast<uint32_t>(device.iterations.size());
  device.sections.push_back(section);
  trace.finish();
  run.mined.devices.push_back(std::move(device));
  return run;
}

long peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

// CPU time: the machine may have other things to do.
template <typename Work>
double seconds(Work work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace

int main(int argc, char** argv) {
  const auto ops = static_cast<uint32_t>(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 5'000'000);
  const Run run = training_run(std::max(ops, kOpsEach));
  const long before = peak_mb();
  std::printf("%zu ops, %zu calls, %ld MB loaded\n", run.trace.ops.size(), run.trace.calls.size(),
              before);
  size_t size = 0;
  for (int round = 0; round < 3; ++round) {
    const double figures =
        seconds([&] { size += compute_figures(run.trace, run.mined).devices.size(); });
    const double summary = seconds([&] { size += summary_text(run.trace, run.mined, {}).size(); });
    std::printf("CPU time: figures %.3f s, whole summary %.3f s, %ld MB more at the peak\n",
                figures, summary, peak_mb() - before);
  }
  return size == 0;
}
