// From the iterations that the offline miner found in a prefix of the run to the pattern that the
// rest is followed along. Iterations that are the same but for noise become one, op by op what most
// of them hold: following along a noisy example would double the noise.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/online/pattern.h"

namespace deepprof {

// An iteration as ops [first, last) of the prefix.
struct OpRange {
  uint32_t first = 0, last = 0;
};

// The different iterations in `tiles`, the most frequent first. `known`: iterations of an earlier
// pattern, which stay in front and are not made again.
Pattern make_pattern(std::span<const uint32_t> symbols, std::span<const OpRange> tiles,
                     const Pattern& known);

}  // namespace deepprof
