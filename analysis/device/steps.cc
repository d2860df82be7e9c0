#include "analysis/device/steps.h"

#include <algorithm>
#include <span>

namespace deepprof {

Steps find_steps(const SampleIndex& samples) {
  Steps steps;
  std::span<const SamplePoint> most;
  for (uint32_t optimizer = 0;; ++optimizer) {  // numbered without holes, as they first step
    const std::span<const SamplePoint> points = samples.of(Metric::optimizer_step, optimizer);
    if (points.empty()) break;
    ++steps.optimizers;
    if (points.size() > most.size()) most = points;
  }
  steps.count = most.size();
  for (size_t i = 1; i < most.size(); ++i) {
    steps.windows.push_back({most[i - 1].time_ns, most[i].time_ns});
    const int64_t window_ns = most[i].time_ns - most[i - 1].time_ns;
    steps.overlapping += most[i].whole() > window_ns;
    steps.optimizer_ns.push_back(std::min(most[i].whole(), window_ns));
  }
  return steps;
}

}  // namespace deepprof
