// Repetitions whose contents return every so many: parts of an iteration that take turns
// (micro-steps, the networks of a GAN), or iterations among which something else comes evenly
// (evaluations, results that are logged).
#pragma once

#include <cstdint>

#include "analysis/iterations/contents.h"
#include "analysis/sequence/sequence.h"

namespace deepprof {

struct Cycle {
  // the smallest lag in 2..16 at which contents agree far better than those of neighbours; 0: none
  uint32_t lag = 0;
  // Some kernel or input comes in one repetition of the cycle alone, as what a part does once in an
  // iteration must.
  bool once = false;
};

// `contents`: of the repetitions in order; the last may be cut.
Cycle find_cycle(const Sequence& sequence, const Contents& contents);

}  // namespace deepprof
