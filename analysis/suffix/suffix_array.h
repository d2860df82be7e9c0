// Suffix array of a sequence of integers: SA-IS (Nong, Zhang, Chan: "Two Efficient Algorithms for
// Linear Time Suffix Array Construction", 2011). Called by the miner, on whole sequences of GPU
// ops.
//
// Linear time. Beside `sa` it needs about n / 2 bytes, 3 * alphabet values, and 2 * n bytes while
// alphabet <= 2^16 (the text is then sorted as 16-bit symbols). Recursion is at most 31 deep, for
// every level at least halves the text. Never throws but std::bad_alloc.
#pragma once

#include <cstdint>
#include <span>

namespace deepprof {

inline constexpr size_t kMaxSuffixArraySize = (size_t{1} << 31) - 2;

// Orders the suffixes of `text`: sa[r] is where the r-th smallest suffix starts; a suffix that is a
// prefix of another comes first. Every symbol must be < alphabet, sa.size() == text.size() <=
// kMaxSuffixArraySize. Dense symbols are best: time and memory grow with the alphabet.
void build_suffix_array(std::span<const uint32_t> text, uint32_t alphabet, std::span<int32_t> sa);

}  // namespace deepprof
