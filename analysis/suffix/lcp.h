// Longest common prefixes of neighbours in a suffix array, by the Phi algorithm (Kärkkäinen,
// Manzini, Puglisi: "Permuted Longest-Common-Prefix Array", 2009). Linear time, no allocation.
#pragma once

#include <cstdint>
#include <span>

namespace deepprof {

// lcp[r] = length of the common prefix of the suffixes sa[r - 1] and sa[r]; lcp[0] = 0. All spans
// are of one size. `plcp` is workspace and afterwards holds the same values by text position:
// plcp[sa[r]] == lcp[r].
void build_lcp(std::span<const uint32_t> text, std::span<const int32_t> sa, std::span<int32_t> lcp,
               std::span<int32_t> plcp);

// The permuted array alone, for callers that walk the text and not the ranks.
void build_plcp(std::span<const uint32_t> text, std::span<const int32_t> sa,
                std::span<int32_t> plcp);

}  // namespace deepprof
