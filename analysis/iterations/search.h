// Finds the iterations of one stretch of the string: levels, choice and tiles. mine() calls it for
// the whole recording, then for long stretches that the first answer left out.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/iterations/choose.h"
#include "analysis/iterations/tiles.h"
#include "analysis/iterations/weigh.h"

namespace deepprof {

struct Found {
  Choice choice;
  std::vector<Weighed> levels;  // by ascending length
  std::vector<Tile> tiles;
  uint32_t window_first = 0, window_last = 0;  // the part in which the levels were sought
  double confidence = 0;                       // that the tiles are the iterations, 0..1
  bool iterations = false;  // tiles are iterations; false: at best a repeating block

  const Weighed* chosen() const {
    return choice.index < 0 ? nullptr : &levels[static_cast<size_t>(choice.index)];
  }
};

// Longer stretches are answered from a window of about this many symbols (three times as many, and
// again, where it holds few iterations), then laid out whole.
inline constexpr uint32_t kWindow = 100'000;

Found search(const Trace& trace, const Sequence& sequence, Evidence& evidence, uint32_t first,
             uint32_t last);

}  // namespace deepprof
