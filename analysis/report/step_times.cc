#include "analysis/report/step_times.h"

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "analysis/model/facts.h"
#include "analysis/report/sections.h"

namespace deepprof {

std::optional<StepTimes> step_times(const Steps& steps) {
  if (steps.windows.empty()) return {};
  std::vector<int64_t> lengths;
  for (const Window& window : steps.windows) lengths.push_back(window.end_ns - window.start_ns);
  StepTimes times;
  times.length = distribution_of(std::move(lengths));
  times.per_s = 1e9 / times.length.mean_ns;
  const int64_t in_optimizer_ns =
      std::accumulate(steps.optimizer_ns.begin(), steps.optimizer_ns.end(), int64_t{0});
  times.in_optimizer_ratio =
      static_cast<double>(in_optimizer_ns) / static_cast<double>(times.length.total_ns);
  times.with_p95 = times.length.count >= kFewestForTrend;
  return times;
}

std::string no_steps_words(const Trace& trace) {
  if (!has_fact(trace, kStepHook)) return "PyTorch tells of its own with deepprof run --steps";
  return "they were asked for, and no torch.optim optimizer of the job took two steps, or its "
         "Python starts without sitecustomize (-I, -E, -S)";
}

}  // namespace deepprof
