// What stands before the first iteration (an embedding, an encoder) or behind the last one.
#pragma once

#include <vector>

#include "analysis/iterations/evidence.h"
#include "analysis/iterations/tiles.h"
#include "analysis/sequence/sequence.h"

namespace deepprof {

// Drops a first tile, and a last one, that lacks much of what each of the others holds and consists
// to a good part of what none of them holds: whatever its length, it is something else. `marked`: a
// sign marks the tiles, so that more must tell.
void drop_strange_ends(const Sequence& sequence, const Evidence& evidence, bool marked,
                       std::vector<Tile>& tiles);

}  // namespace deepprof
