// Sorts the tiles of a recording into sections: warm-up, training (or steady), evaluation,
// checkpoint, irregular.
#pragma once

#include <vector>

#include "analysis/iterations/assemble.h"
#include "analysis/iterations/evidence.h"
#include "analysis/iterations/tiles.h"

namespace deepprof {

// Stretches that tile the string, from tiles in order. Where some hold an optimizer run or a
// backward pass, one without that does part of the usual one is evaluation, and one that does
// something else is irregular; first iterations that do more, or take much longer, are warm-up.
std::vector<Stretch> make_sections(const Trace& trace, const Sequence& sequence,
                                   const Evidence& evidence, const std::vector<Tile>& tiles);

}  // namespace deepprof
