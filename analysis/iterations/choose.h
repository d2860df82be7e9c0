// Which of the weighed levels is the iteration.
#pragma once

#include <string>
#include <vector>

#include "analysis/iterations/weigh.h"

namespace deepprof {

// Optimizer runs in an iteration, mean: from so many on there are several.
inline constexpr double kSeveralUpdates = 1.3;

struct Choice {
  int index = -1;             // into the weighed levels; -1: none
  bool is_iteration = false;  // false: it repeats, but nothing shows that it is an iteration
  bool pairs = false;         // of repetitions of a finer level, and no optimizer tells
  bool by_updates = false;    // optimizer runs in the iterations, not in cycles of them
  bool exact = false;         // the recording is hardly anything else, to the op
  std::string decided_by;     // one clause
  std::string reason;         // index -1: why
};

// `levels` ascend by length; `updates`: optimizer runs in the string they were found in.
Choice choose(const std::vector<Weighed>& levels, size_t updates);

}  // namespace deepprof
