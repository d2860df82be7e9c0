// From the iterations that the offline miner found in a stretch of the run to the pattern that the
// rest is followed along. Iterations that are the same but for noise become one, op by op what most
// of them hold: following along a noisy example would double the noise.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/pattern/op_range.h"
#include "analysis/pattern/pattern.h"

namespace deepprof {

struct Consensus {
  Pattern pattern;
  size_t alone =
      0;  // tiles that are like no other: so many in all suggest that as large a share of
          // those to come is of kinds not seen yet
};

// The different iterations among the typical `tiles`, the most frequent first. `known`: iterations
// of an earlier pattern, which stay in front and are not made again.
Consensus make_pattern(std::span<const uint32_t> symbols, std::span<const OpRange> tiles,
                       const Pattern& known);

}  // namespace deepprof
