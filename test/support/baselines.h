// The two simple miners that every accuracy figure is stated beside. Test code only.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/model/trace.h"

namespace deepprof::test {

// Cuts are indices into trace.ops. No cuts: no answer.

// The lag at which most ops equal the op that many launches later; cuts from the first op on.
std::vector<uint32_t> equal_lag_cuts(const Trace& trace, uint16_t device);

// The histogram of distances between equal stretches, and the occurrences of the best anchor.
std::vector<uint32_t> distance_cuts(const Trace& trace, uint16_t device);

}  // namespace deepprof::test
