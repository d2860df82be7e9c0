// Marked steps set beside the mined iterations of a device. A check by other evidence: marks are
// never used to find iterations.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/iterations/mined.h"
#include "analysis/model/trace.h"
#include "analysis/steps/step_marks.h"

namespace deepprof {

enum class MarksVerdict : uint8_t {
  none,                 // nothing is marked, or nothing that was marked runs on the device
  no_iterations,        // nothing to set them beside
  match,                // each marked step is one iteration
  differ,               // some are not
  several_in_a_step,    // a marked step holds several iterations
  several_steps_in_one  // an iteration holds several marked steps
};
const char* marks_verdict_name(MarksVerdict verdict);  // "match", "several iterations in a step"

// An op is of the step in which the call that launched it began. A step and an iteration match
// where either holds more than half of the other's ops. A step starts with its first op on the main
// stream, since copies ahead on another one run in the step before; one that has none there, with
// the op that was launched first.
struct MarkedSteps {
  MarksVerdict verdict = MarksVerdict::none;
  std::string marker;  // as in StepMarks
  MarkRank rank = MarkRank::none;
  bool by_repetition = false;
  uint64_t steps = 0;    // that launched an op of the device
  uint64_t matched = 0;  // of those
  uint64_t outside = 0;  // complete iterations of which most ops were launched in no marked step
  double per_step = 0;   // iterations in a step, median
  double per_iteration = 0;  // steps in a complete iteration, median
  int64_t median_ns = 0;     // from the start of a step to that of the next one; 0: one step
  // Start of an iteration less start of the step that it matches: median, and the most either way.
  int64_t shift_ns = 0, farthest_ns = 0;
  // Parallel to DeviceMined::iterations: the step that matches, by index into `names`; kNone: none.
  std::vector<uint32_t> step_of_iteration;
  // "ProfilerStep#12"; "optimizer step 12", counted from 0, where our own recorder was told of it.
  std::vector<std::string> names;
};
// `ops`: indices of the device's ops, by start. `mined`: null or without iterations: none to set
// beside. Of the marks that say nothing of steps only those that fit the iterations have a verdict.
MarkedSteps set_beside(const Trace& trace, const StepMarks& marks, std::span<const uint32_t> ops,
                       const DeviceMined* mined);
// Of the first of them that has a verdict.
MarkedSteps set_beside(const Trace& trace, std::span<const StepMarks> marks,
                       std::span<const uint32_t> ops, const DeviceMined* mined);

}  // namespace deepprof
