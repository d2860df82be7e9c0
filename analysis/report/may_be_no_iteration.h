// Whether what repeats is only known to repeat.
#pragma once

#include "analysis/report/figures.h"

namespace deepprof {

// A block of which nothing shows that it is an iteration. Steps that the job marked and that match
// the blocks one by one show it.
inline bool may_be_no_iteration(const DeviceFigures& device) {
  if (device.mined == nullptr || device.mined->verdict != Verdict::repeating_block) return false;
  const MarkedSteps& marked = device.marked;
  const bool marked_one_by_one = marked.verdict == MarksVerdict::match && marked.steps > 1 &&
                                 marked.outside == 0 && !marked.by_repetition;
  return !marked_one_by_one;
}

}  // namespace deepprof
