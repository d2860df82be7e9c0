// One iteration as a stretch of a string of ops.
#pragma once

#include <cstdint>

namespace deepprof {

// A complete iteration, as ops [first, last) of the stretch.
struct OpRange {
  uint32_t first = 0, last = 0;
  // False: it counts, but is no example of what the rest of the run is followed along (warm-up).
  bool typical = true;
};

}  // namespace deepprof
