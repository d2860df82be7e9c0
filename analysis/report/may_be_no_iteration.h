// Whether what repeats is only known to repeat.
#pragma once

#include "analysis/report/figures.h"

namespace deepprof {

// Steps that the job marked match them one by one.
inline bool marked_one_by_one(const MarkedSteps& marked) {
  return marked.verdict == MarksVerdict::match && marked.steps > 1 && marked.outside == 0 &&
         !marked.by_repetition;
}

// A block of which nothing shows that it is an iteration; marks may.
inline bool may_be_no_iteration(const DeviceFigures& device) {
  return device.mined != nullptr && device.mined->verdict == Verdict::repeating_block &&
         !marked_one_by_one(device.marked);
}

// What was found is doubtful, and holds so little of the run that the figures are of all of it
// (compute_figures()).
inline bool says_little(const DeviceFigures& device) {
  return !device.narrowed && !device.has_iterations() && device.mined != nullptr &&
         !device.mined->iterations.empty();
}

}  // namespace deepprof
