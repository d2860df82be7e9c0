// For each row of a block, an earlier row that it probably resembles: the last one that came behind
// the same five tokens, else the last one with the same token. A training loop repeats its
// launches, and the n-th kernel of an iteration takes about as long as the n-th of the iteration
// before: differences to such a row cost a sixth less than the times themselves
// (docs/trace-format.md).
//
// Writer and reader both derive it from the tokens alone, so nothing of it is stored. The
// arithmetic is part of the format.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libdeepprof/trace/row.h"

namespace deepprof {

class Predecessors {
 public:
  // `tokens[i]`: the token of row i, as numbered in the block.
  void find(std::span<const uint32_t> tokens, std::span<const Token> token_list);
  // For the k-th row of a lane: 1 + the number within the lane of its predecessor; 0: none.
  std::span<const uint32_t> of_lane(bool on_device) const { return of_lane_[on_device]; }

 private:
  std::vector<uint32_t> of_lane_[2];
  std::vector<uint32_t> slots_;          // context hash -> last row with it, with part of the hash
  std::vector<uint32_t> last_of_token_;  // 1 + number within its lane
  std::vector<uint32_t> in_lane_;        // row -> number within its lane
};

}  // namespace deepprof
