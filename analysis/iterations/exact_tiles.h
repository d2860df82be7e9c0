// Tiles of a stretch that repeats to the op: there no border is a matter of signs.
#pragma once

#include <vector>

#include "analysis/iterations/contents.h"
#include "analysis/repeats/runs.h"

namespace deepprof {

// Replaces the tiles that lie in the run by ones of its period, cut where most of them are; none
// where they do not agree on that. What stands beside the run keeps its tiles, and what is left of
// those that the run's first and last border cut is partial where it is less than one. But the very
// last tile is dropped where it begins as the others do and, shorter than they, goes on as
// something else: it breaks off there. Where tiles stand behind it iterations go on, and it may be
// one of another kind (an evaluation).
void align_to_run(const Run& run, std::vector<Tile>& tiles);

}  // namespace deepprof
