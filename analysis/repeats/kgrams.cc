#include "analysis/repeats/kgrams.h"

#include <algorithm>

#include "analysis/suffix/lcp.h"
#include "analysis/suffix/page_array.h"
#include "analysis/suffix/suffix_array.h"

namespace deepprof {
namespace {

// Short stretches survive noise, long ones tell equal layers apart by what stands around them.
constexpr int32_t kLengths[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};

// Appends the groups of k-grams that no group of the length before has whole.
void collect(std::span<const int32_t> sa, std::span<const int32_t> lcp, int32_t k, int32_t shorter,
             uint32_t most, KgramGroups& result) {
  const size_t n = sa.size();
  for (size_t first = 0, last = 0; first < n; first = last) {
    last = first + 1;
    while (last < n && lcp[last] >= k) ++last;
    if (last - first < 2 || last - first > most) continue;
    // Its borders lie where even the shorter prefix ends: the shorter group is the same.
    const int32_t border = std::max(lcp[first], last < n ? lcp[last] : 0);
    if (border < shorter) continue;
    KgramGroup group;
    group.length = static_cast<uint32_t>(k);
    group.first = static_cast<uint32_t>(result.occurrences.size());
    for (size_t rank = first; rank < last; ++rank) result.occurrences.push_back(static_cast<uint32_t>(sa[rank]));
    group.last = static_cast<uint32_t>(result.occurrences.size());
    std::sort(result.occurrences.begin() + group.first, result.occurrences.end());
    result.groups.push_back(group);
  }
}

}  // namespace

KgramGroups find_kgrams(std::span<const uint32_t> symbols, uint32_t alphabet, uint32_t most) {
  KgramGroups result;
  if (symbols.size() < 2) return result;
  PageArray<int32_t> sa(symbols.size()), lcp(symbols.size()), plcp(symbols.size());
  build_suffix_array(symbols, alphabet, sa.span());
  build_lcp(symbols, sa.span(), lcp.span(), plcp.span());
  int32_t shorter = 0;
  for (const int32_t k : kLengths) {
    collect(sa.span(), lcp.span(), k, shorter, most, result);
    shorter = k;
  }
  return result;
}

}  // namespace deepprof
