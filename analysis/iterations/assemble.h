// From stretches of the symbol string to sections, iterations and their time windows
// (docs/metrics.md). The last step of mine().
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/iterations/mined.h"
#include "analysis/iterations/tiles.h"
#include "analysis/model/trace.h"
#include "analysis/sequence/sequence.h"

namespace deepprof {

// What will become a section: symbols [first, last) and the tiles inside, which tile it if there
// are any.
struct Stretch {
  SectionKind kind = SectionKind::irregular;
  uint32_t first = 0, last = 0;
  std::vector<Tile> tiles;
};

// Fills `sections`, `iterations`, `coverage` and `ops_per_iteration` of `mined`.
// The stretches tile the string.
void assemble(const Trace& trace, const Sequence& sequence, const std::vector<Stretch>& stretches,
              DeviceMined& mined);

}  // namespace deepprof
