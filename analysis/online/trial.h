// Judges whether the run can be followed along a pattern, by following ops whose iterations are
// known. Used by the online miner.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/online/stretch.h"
#include "analysis/pattern/consensus.h"
#include "analysis/pattern/pattern.h"
#include "libdeepprof/event/event.h"

namespace deepprof {

// What following `ops` along the pattern counts and explains.
struct Trial {
  uint64_t counted;
  double explained;  // share of the ops
};
Trial try_out(const Pattern& pattern, std::span<const Event> ops);

// May the iterations to come be followed along this pattern, as those found in `ops`?
bool is_steady(const Consensus& made, std::span<const Event> ops, const MinedStretch& found);

// The ops from the first iteration to the last.
std::span<const Event> covered(std::span<const Event> ops, std::span<const OpRange> tiles);

// Do two counts of the same iterations differ by no more than what happens at the ends?
bool is_close(uint64_t counted, uint64_t mined);

// 1/n or n where the ratio is near it: then levels nest, and the conversion is exact.
double snapped(double ratio);

}  // namespace deepprof
