// Where the LMS suffixes of a text are, as a bitmap of n / 8 bytes: built once per level of SA-IS,
// walked several times.
//
// A suffix is L if it is greater than the one behind it, S if smaller; LMS if it is S and its left
// neighbour is L. The text ends in a virtual sentinel smaller than every symbol.
#pragma once

#include <algorithm>
#include <cstdint>

#include "analysis/suffix/page_array.h"

namespace deepprof {

class LmsIndex {
 public:
  template <typename Symbol>
  LmsIndex(const Symbol* text, int32_t n) : blocks_(static_cast<size_t>(n) / kBlock + 1) {
    bool right_is_s = false;
    for (size_t b = blocks_.size(); b-- > 0;)
      blocks_[b] = find_lms(text, static_cast<size_t>(n), b * kBlock, right_is_s);
  }

  // Calls visit(position) for every LMS suffix, from left to right.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (size_t b = 0; b < blocks_.size(); ++b) {
      const auto base = static_cast<int32_t>(b * kBlock) + 1;
      for (uint64_t bits = blocks_[b]; bits != 0;) {
        const int place = __builtin_clzll(bits);
        visit(base + place);
        bits ^= kFirst >> place;
      }
    }
  }

 private:
  static constexpr size_t kBlock = 64;
  static constexpr uint64_t kFirst = uint64_t{1}
                                     << 63;  // the leftmost symbol of a block is the top bit

  // The block that starts at `begin`: symbol i has its bit set if it starts an L suffix and i + 1
  // an S suffix, so that i + 1 is LMS. `right_is_s`: the type of the suffix right of the block on
  // entry, of the block's first on return.
  template <typename Symbol>
  static uint64_t find_lms(const Symbol* text, size_t n, size_t begin, bool& right_is_s) {
    uint64_t less = 0, equal = 0;  // than the symbol to the right; neither beside the sentinel
    const size_t end = std::min(begin + kBlock, n - 1);
    for (size_t i = begin; i < end; ++i) {
      less = less << 1 | static_cast<uint64_t>(text[i] < text[i + 1]);
      equal = equal << 1 | static_cast<uint64_t>(text[i] == text[i + 1]);
    }
    if (begin >= end) return 0;
    less <<= begin + kBlock - end;
    equal <<= begin + kBlock - end;
    // Equal symbols have the type of their right neighbour. Adding a one below a run of equals
    // carries through the run and clears it: those are the ones with an S suffix to the right.
    const uint64_t s_to_the_right = less << 1 | static_cast<uint64_t>(right_is_s);
    const uint64_t s = less | (equal & ~(equal + (s_to_the_right & equal)));
    const uint64_t lms = ~s & (s << 1 | static_cast<uint64_t>(right_is_s));
    right_is_s = (s & kFirst) != 0;
    return lms;
  }

  PageArray<uint64_t> blocks_;
};

}  // namespace deepprof
