// Stretches of symbols that open iterations. Those of another kind (evaluation) often begin as the
// usual one does: what stands at one place near the beginning of nearly every tile, and nowhere
// else in it, opens an iteration wherever it stands. Made once by split_by_signs().
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/iterations/contents.h"
#include "analysis/sequence/sequence.h"

namespace deepprof {

class Openings {
 public:
  // Stretches of `usual`, one of `tiles`, which lie in front of symbol `last` of the string.
  Openings(const Sequence& sequence, const std::vector<Tile>& tiles, const Tile& usual,
           uint32_t last);

  // Whether there are none; `at_cut()`: whether some stand where the usual tile begins.
  bool empty() const { return at_cut_.empty() && later_.empty(); }
  bool at_cut() const { return !at_cut_.empty(); }
  // Appends where those in [from, to) say that an iteration begins; marks closer than `near` to
  // either end divide nothing.
  void add_marks(uint32_t from, uint32_t to, uint32_t near, std::vector<uint32_t>& marks) const;

 private:
  // A stretch, `offset` ops behind the start of the usual tile.
  struct Opening {
    uint32_t at, offset, length;
  };

  void find(const std::vector<Tile>& tiles, const Tile& usual, uint32_t from, uint32_t to,
            size_t most, std::vector<Opening>& found) const;
  bool opens(const std::vector<Tile>& tiles, const Opening& opening) const;
  bool stands(const Opening& opening, uint32_t at) const;
  void add_marks(const Opening& opening, uint32_t from, uint32_t to,
                 std::vector<uint32_t>& marks) const;

  const Sequence& sequence_;
  uint32_t last_;
  // The cut may stand some ops before those that every kind begins with: the second count where
  // none of the first divides.
  std::vector<Opening> at_cut_, later_;
};

}  // namespace deepprof
