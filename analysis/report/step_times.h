// How long the optimizer steps take that the job's framework told of.
#pragma once

#include <optional>
#include <string>

#include "analysis/device/steps.h"
#include "analysis/report/figures.h"

namespace deepprof {

struct StepTimes {
  Distribution length;  // from the end of one step to the end of the next
  double per_s = 0;
  double in_optimizer_ratio = 0;  // of all their time
  bool with_p95 = false;          // enough of them for one
};
// Nothing where fewer than two were told of.
std::optional<StepTimes> step_times(const Steps& steps);

// Of a run without any: how to have them, or why there are none though they were asked for.
std::string no_steps_words(const Trace& trace);

}  // namespace deepprof
