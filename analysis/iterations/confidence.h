// How sure the miner is that its tiles are the iterations. Calibrated on the hard cases
// (test/bench/accuracy.cc prints the table): answers of .9 and more should be right in 99 of 100.
#pragma once

#include <vector>

#include "analysis/iterations/choose.h"
#include "analysis/iterations/mined.h"
#include "analysis/iterations/tiles.h"

namespace deepprof {

// Of tiles laid over symbols [first, last).
double confidence(const Sequence& sequence, const Weighed& chosen, const Choice& choice,
                  const std::vector<Tile>& tiles, uint32_t first, uint32_t last);

// How much of that is left by what no tile covers.
double by_coverage(const Sequence& sequence, const std::vector<Tile>& tiles, uint32_t first,
                   uint32_t last);
// And by how few there are.
double by_count(size_t tiles);

// And by what stands between them that is neither one nor a checkpoint: some may be.
double by_gaps(const Sequence& sequence, const std::vector<Tile>& tiles);

// And where something else repeats in what is left out.
inline constexpr double kOtherRepetition = 0.9;

// Or where many kernels that no tile has stand behind the last: another job, whose iterations are
// not found.
bool ends_with_something_else(const Sequence& sequence, const std::vector<Tile>& tiles);

// Share of the usual iterations that hold far more or fewer ops than the median one. Evaluations are
// told apart by their sections, and may be of any size; first iterations may hold more.
double share_far_from_usual(const DeviceMined& device);

// Below this mine() answers "none".
inline constexpr double kLeastConfidence = 0.3;

}  // namespace deepprof
