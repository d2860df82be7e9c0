// Compares strings of symbols many at a time: where the stream leaves the pattern, no branch can be
// foreseen. Used by the follower.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace deepprof {

// Bit i: a[i] and b[i] differ; of 16.
#ifdef __SSE2__
inline uint32_t differences(const uint32_t* a, const uint32_t* b) {
  const auto equal = [a, b](size_t i) {
    return _mm_cmpeq_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a + i)),
                           _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + i)));
  };
  const __m128i low = _mm_packs_epi32(equal(0), equal(4));
  const __m128i high = _mm_packs_epi32(equal(8), equal(12));
  return static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high))) ^ 0xffff;
}
#else
inline uint32_t differences(const uint32_t* a, const uint32_t* b) {
  using Four [[gnu::vector_size(16)]] = uint32_t;
  Four differ{}, bits{1, 2, 4, 8};
  for (size_t i = 0; i < 16; i += 4, bits <<= 4) {
    Four x, y;
    std::memcpy(&x, a + i, sizeof x);
    std::memcpy(&y, b + i, sizeof y);
    differ |= (x != y) & bits;
  }
  return differ[0] | differ[1] | differ[2] | differ[3];
}
#endif

// Symbols that can be read behind what is compared.
inline constexpr size_t kCompared = 32;

// Number of places at which two strings agree before they first differ, at most `most`. kCompared
// symbols can be read behind b[most].
inline size_t agreement(std::span<const uint32_t> a, const uint32_t* b, size_t most) {
  size_t same = 0;
  for (; same + kCompared <= a.size(); same += kCompared) {
    const uint32_t differ = differences(&a[same], b + same) |
                            differences(&a[same + kCompared / 2], b + same + kCompared / 2) << 16;
    if (differ == 0 && same + kCompared < most) continue;
    return std::min(most, same + static_cast<size_t>(std::countr_zero(differ)));
  }
  most = std::min(most, a.size());
  while (same < most && a[same] == b[same]) ++same;
  return same;
}

// Without a branch for each symbol.
template <uint32_t kCount>
bool agree(const uint32_t* a, const uint32_t* b) {
  uint32_t differ = 0;
  for (uint32_t i = 0; i < kCount; ++i) differ |= a[i] ^ b[i];
  return differ == 0;
}

}  // namespace deepprof
