// Scores mined iterations against known ones: the rule of the corpus' evaluate.py, step for step,
// so that figures of the benchmark and of that script compare. Test code only.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/iterations/mined.h"
#include "analysis/model/trace.h"

namespace deepprof::test {

inline constexpr double kNoPhase = -9;

struct Score {
  int steps = 0;  // labelled
  int found = 0;  // reported inside the labelled stretches
  double f1 = 0;
  double phase = 0;  // place of the cut, as a share of the step; kNoPhase: nothing right
};

// `step` is by index into trace.ops, -1: unlabelled. An answer with verdict other than `iteration`
// reports none.
Score score(const Trace& trace, const std::vector<int>& step, const DeviceMined& mined);

// The same for bare cuts: indices into trace.ops of the ops at which iterations begin.
Score score_cuts(const Trace& trace, uint16_t device, const std::vector<int>& step,
                 const std::vector<uint32_t>& cuts);

}  // namespace deepprof::test
