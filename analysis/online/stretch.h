// What the offline miner says of a stretch of the run.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "analysis/iterations/mined.h"
#include "analysis/pattern/op_range.h"

namespace deepprof {

struct MinedStretch {
  Verdict verdict = Verdict::none;
  double confidence = 0;
  std::string decided_by;      // one clause
  std::vector<OpRange> tiles;  // in order; repetitions that are no iterations, if the verdict is so
};

// Mean ops of an iteration, of the typical ones if there are any; 0 without any. Of lengths that
// vary a few have a steadier mean than median.
double ops_each(const MinedStretch& found);

// Leaves out what the ends of the stretch of `ops` may have cut (`front`: its beginning, too): a
// part of an iteration may look like another kind.
void trim(MinedStretch& found, size_t ops, bool front);

// Without the warm-up.
std::span<const OpRange> typical_part(std::span<const OpRange> tiles);

}  // namespace deepprof
