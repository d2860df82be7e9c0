// Second pass over laid tiles: where a host sign comes exactly once an iteration, it also divides
// what the repetition alone could not: iterations unlike the others (autotuned first ones,
// evaluation, prefill).
#pragma once

#include <vector>

#include "analysis/iterations/tiles.h"

namespace deepprof {

// Divides overlong tiles and the stretches between tiles at the cuts that such a sign implies. A
// new piece is kept where it holds an optimizer run, resembles the usual tile, or has a twin.
std::vector<Tile> split_by_signs(const Sequence& sequence, const Evidence& evidence,
                                 std::vector<Tile> tiles, uint32_t first, uint32_t last);

}  // namespace deepprof
