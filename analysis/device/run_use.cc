#include "analysis/device/run_use.h"

#include <algorithm>
#include <span>

#include "analysis/device/curve.h"

namespace deepprof {
namespace {

Window overlap(Window a, Window b) {
  return {std::max(a.start_ns, b.start_ns), std::min(a.end_ns, b.end_ns)};
}

// Of `points`, which are ordered by time.
Window span_of(std::span<const SamplePoint> points) {
  return {points.front().time_ns, points.back().time_ns};
}

int64_t length_ns(Window window) { return window.end_ns - window.start_ns; }

}  // namespace

GpuUse RunUse::gpu(uint32_t device, Window run) const {
  if (counted_) return totals_.gpu(device);
  const GpuMeter meter(samples_, device);
  return meter.in(meter.sampled_part(run));
}

HostUse RunUse::host(Window run) const {
  return counted_ ? totals_.host() : HostMeter(samples_).in(run);
}

std::optional<double> RunUse::without_core(uint32_t thread, Window run) const {
  if (counted_) return totals_.without_core(thread);
  const auto points = samples_.of(Metric::thread_runnable, thread);
  if (points.size() < kFewestOfThread) return {};
  const auto of_process = samples_.of(Metric::process_cpu);
  const Window sampled = of_process.empty() ? run : overlap(run, span_of(of_process));
  const Amount amount = Curve::of_mean(points).over(sampled);
  if (amount.known_ns <= 0 || length_ns(sampled) <= 0) return {};
  const Window lived = overlap(sampled, span_of(points));
  return amount.per_second() * static_cast<double>(length_ns(lived)) /
         static_cast<double>(length_ns(sampled));
}

}  // namespace deepprof
