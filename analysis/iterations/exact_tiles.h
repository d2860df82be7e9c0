// Tiles of a stretch that repeats to the op: there no border is a matter of signs.
#pragma once

#include <vector>

#include "analysis/iterations/contents.h"
#include "analysis/repeats/runs.h"

namespace deepprof {

// Replaces the tiles that lie in the run by ones of its period, cut where most of them are; none
// where they do not agree on that. What stands beside the run keeps its tiles.
void align_to_run(const Run& run, std::vector<Tile>& tiles);

}  // namespace deepprof
