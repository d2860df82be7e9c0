// Tiles that the ends of the recording cut so short that they are no iteration of it.
#pragma once

#include <vector>

#include "analysis/iterations/tiles.h"
#include "analysis/model/trace.h"
#include "analysis/sequence/sequence.h"

namespace deepprof {

// Drops first tiles whose ops were launched before the recording began (their host part was not
// seen, and often some of their ops neither), one that began before it, and tiles at either end
// with less than half the ops of the shortest usual one.
void drop_cut_off(const Trace& trace, const Sequence& sequence, std::vector<Tile>& tiles);

}  // namespace deepprof
