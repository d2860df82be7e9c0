// What the offline miner says of a stretch of the run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/iterations/mined.h"

namespace deepprof {

// A complete iteration, as ops [first, last) of the stretch.
struct OpRange {
  uint32_t first = 0, last = 0;
  // False: it counts, but is no example of what the rest of the run is followed along (warm-up).
  bool typical = true;
};

struct MinedStretch {
  Verdict verdict = Verdict::none;
  double confidence = 0;
  std::string decided_by;      // one clause
  std::vector<OpRange> tiles;  // in order; repetitions that are no iterations, if the verdict is so
};

}  // namespace deepprof
