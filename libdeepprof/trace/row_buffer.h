// Rows that wait for their block to fill, and the tokens they share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libdeepprof/trace/row_block.h"

namespace deepprof {

class RowBuffer {
 public:
  // The token's number within the block, new or known.
  uint32_t intern(const Token& token);
  void push(const Row& row) { rows_.push_back(row); }
  void clear();

  bool empty() const { return rows_.empty(); }
  bool full() const { return rows_.size() >= kBlockRows; }
  std::span<const Row> rows() const { return rows_; }
  std::span<const Token> tokens() const { return tokens_; }

 private:
  static constexpr size_t kSlots = 2 * kBlockRows;  // at most half full

  std::vector<Row> rows_;
  std::vector<Token> tokens_;
  std::vector<uint16_t> slots_;  // open addressing: token number + 1, 0 for empty
};
static_assert(kBlockRows < UINT16_MAX);

}  // namespace deepprof
