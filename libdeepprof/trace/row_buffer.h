// Rows that wait for their block to fill, and the tokens they share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libdeepprof/trace/row_block.h"

namespace deepprof {

class RowBuffer {
 public:
  // The token's number within the block, new or known. To be called before push().
  uint32_t intern(const Token& token);
  // Precondition: not full().
  void push(const Row& row) { rows_[count_++] = row; }
  void clear();

  bool empty() const { return count_ == 0; }
  bool full() const { return count_ == kBlockRows; }
  std::span<const Row> rows() const { return std::span(rows_).first(count_); }
  std::span<const Token> tokens() const { return tokens_; }

 private:
  static constexpr size_t kSlots = 2 * kBlockRows;  // at most half full

  // A token in two words, which are quick to hash and to compare.
  struct Key {
    uint64_t low, high;
    friend bool operator==(const Key&, const Key&) = default;
  };
  static Key key_of(const Token& token);
  static size_t slot_of(const Key& key);

  std::vector<Row> rows_;  // kBlockRows of them once the first token has come
  size_t count_ = 0;
  std::vector<Token> tokens_;
  std::vector<Key> keys_;        // of the tokens
  std::vector<uint16_t> slots_;  // open addressing: token number + 1, 0 for empty
};
static_assert(kBlockRows < UINT16_MAX);

}  // namespace deepprof
