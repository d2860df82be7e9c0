// What stands at either end of the string: iterations that the recording cut, or something else.
#pragma once

#include <vector>

#include "analysis/iterations/evidence.h"
#include "analysis/iterations/tiles.h"

namespace deepprof {

// Drops a last tile that is not what the usual one begins with, and adds what stands before the
// first or behind the last tile where it is the end or the beginning of a usual one.
void settle_ends(const Sequence& sequence, const Evidence& evidence, uint32_t first, uint32_t last,
                 std::vector<Tile>& tiles);

}  // namespace deepprof
