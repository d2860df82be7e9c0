#include "analysis/import/json_scanner.h"

#include <bit>
#include <cstdint>
#include <cstring>

#include "libdeepprof/vector_clones.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

// All of it has to be compiled anew for each clone of scan_elements().
#define DEEPPROF_IN_CLONE [[gnu::always_inline]] inline

namespace deepprof {
namespace {

// One bit a byte of a 64-byte block.
struct Masks {
  uint64_t quote, backslash, open, close;
};

// '{' and '[' differ from each other, and '}' from ']', by the bit 0x20 only.
#ifdef __SSE2__
DEEPPROF_IN_CLONE uint64_t matches(const __m128i (&block)[4], char c) {
  const __m128i wanted = _mm_set1_epi8(c);
  uint64_t mask = 0;
  for (int i = 3; i >= 0; --i) {
    mask =
        (mask << 16) | static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(block[i], wanted)));
  }
  return mask;
}

DEEPPROF_IN_CLONE Masks classify(const char* text) {
  __m128i plain[4], folded[4];
  for (int i = 0; i < 4; ++i) {
    plain[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text) + i);
    folded[i] = _mm_or_si128(plain[i], _mm_set1_epi8(0x20));
  }
  return {matches(plain, '"'), matches(plain, '\\'), matches(folded, '{'), matches(folded, '}')};
}
#else
DEEPPROF_IN_CLONE Masks classify(const char* text) {
  Masks masks{};
  for (int i = 0; i < 64; ++i) {
    const uint64_t bit = uint64_t{1} << i;
    const char folded = static_cast<char>(text[i] | 0x20);
    masks.quote |= text[i] == '"' ? bit : 0;
    masks.backslash |= text[i] == '\\' ? bit : 0;
    masks.open |= folded == '{' ? bit : 0;
    masks.close |= folded == '}' ? bit : 0;
  }
  return masks;
}
#endif

// Bytes that follow an odd run of backslashes. `carry`: the block before ended in such a run.
DEEPPROF_IN_CLONE uint64_t escaped_bytes(uint64_t backslash, bool& carry) {
  if (backslash == 0 && !carry) return 0;
  uint64_t escaped = carry ? 1 : 0;
  carry = false;
  backslash &= ~escaped;
  while (backslash != 0) {
    const int at = std::countr_zero(backslash);
    if (at == 63) {
      carry = true;
      break;
    }
    escaped |= uint64_t{2} << at;
    backslash &= ~(uint64_t{3} << at);  // the pair is dealt with, even if its second is a backslash
  }
  return escaped;
}

// Bit i = parity of the bits 0..i: from an opening quote (included) to its closing one (excluded).
DEEPPROF_IN_CLONE uint64_t prefix_xor(uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

class Scanner {
 public:
  // Returns false at the array's own closing bracket.
  DEEPPROF_IN_CLONE bool block(const char* text, size_t offset) {
    const Masks masks = classify(text);
    const uint64_t quotes = masks.quote & ~escaped_bytes(masks.backslash, escape_carry_);
    const uint64_t in_string = prefix_xor(quotes) ^ string_carry_;
    string_carry_ = (in_string >> 63) != 0 ? ~uint64_t{0} : 0;
    const uint64_t open = masks.open & ~in_string, close = masks.close & ~in_string;
    const int closes = std::popcount(close);
    if (depth_ > closes) {  // no element can end in this block: most of them
      depth_ += std::popcount(open) - closes;
      return true;
    }
    return walk(open, close, offset);
  }
  const ElementScan& result() const { return result_; }

 private:
  bool walk(uint64_t open, uint64_t close, size_t offset) {
    for (uint64_t both = open | close; both != 0; both &= both - 1) {
      const int at = std::countr_zero(both);
      if ((open >> at & 1) != 0) {
        ++depth_;
        continue;
      }
      --depth_;
      if (depth_ == 0) result_.end = offset + static_cast<size_t>(at) + 1;
      if (depth_ < 0) {
        result_.closed = true;
        result_.close = offset + static_cast<size_t>(at);
        return false;
      }
    }
    return true;
  }

  int64_t depth_ = 0;
  uint64_t string_carry_ = 0;
  bool escape_carry_ = false;
  ElementScan result_;
};

}  // namespace

DEEPPROF_VECTOR_CLONES
ElementScan scan_elements(std::string_view text) {
  Scanner scanner;
  size_t at = 0;
  for (; at + 64 <= text.size(); at += 64) {
    if (!scanner.block(text.data() + at, at)) return scanner.result();
  }
  if (at < text.size()) {
    char tail[64] = {};
    std::memcpy(tail, text.data() + at, text.size() - at);
    scanner.block(tail, at);
  }
  return scanner.result();
}

}  // namespace deepprof
