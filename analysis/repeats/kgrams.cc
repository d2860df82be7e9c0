#include "analysis/repeats/kgrams.h"

#include <algorithm>

#include "analysis/suffix/lcp.h"
#include "analysis/suffix/page_array.h"
#include "analysis/suffix/suffix_array.h"

namespace deepprof {
namespace {

// Short stretches survive noise, long ones tell equal layers apart by what stands around them.
constexpr int32_t kLengths[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};

constexpr int32_t kNoGroup = -1;

class Collector {
 public:
  // `spare`: as long, overwritten.
  Collector(std::span<const int32_t> sa, std::span<const int32_t> lcp, std::span<int32_t> spare,
            uint32_t most, KgramGroups& result)
      : sa_(sa), lcp_(lcp), group_at_(spare), most_(most), result_(result) {}

  // Appends the groups of k-grams that no group of the length before has whole.
  void collect(int32_t k, int32_t shorter) {
    const size_t first_group = result_.groups.size();
    uint32_t end = static_cast<uint32_t>(result_.occurrences.size());
    std::fill(group_at_.begin(), group_at_.end(), kNoGroup);
    const size_t n = sa_.size();
    for (size_t first = 0, last = 0; first < n; first = last) {
      last = first + 1;
      while (last < n && lcp_[last] >= k) ++last;
      if (last - first < 2 || last - first > most_) continue;
      // Its borders lie where even the shorter prefix ends: the shorter group is the same.
      const int32_t border = std::max(lcp_[first], last < n ? lcp_[last] : 0);
      if (border < shorter) continue;
      const auto group = static_cast<int32_t>(result_.groups.size());
      for (size_t rank = first; rank < last; ++rank)
        group_at_[static_cast<uint32_t>(sa_[rank])] = group;
      result_.groups.push_back({static_cast<uint32_t>(k), end, end});
      end += static_cast<uint32_t>(last - first);
    }
    if (result_.groups.size() == first_group) return;
    // Handing positions out in text order leaves every group sorted.
    result_.occurrences.resize(end);
    for (uint32_t at = 0; at < n; ++at) {
      if (group_at_[at] == kNoGroup) continue;
      KgramGroup& group = result_.groups[static_cast<uint32_t>(group_at_[at])];
      result_.occurrences[group.last++] = at;
    }
  }

 private:
  std::span<const int32_t> sa_, lcp_;
  std::span<int32_t> group_at_;  // by position
  uint32_t most_;
  KgramGroups& result_;
};

}  // namespace

KgramGroups find_kgrams(std::span<const uint32_t> symbols, uint32_t alphabet, uint32_t most) {
  KgramGroups result;
  if (symbols.size() < 2) return result;
  PageArray<int32_t> sa(symbols.size()), lcp(symbols.size()), plcp(symbols.size());
  build_suffix_array(symbols, alphabet, sa.span());
  build_lcp(symbols, sa.span(), lcp.span(), plcp.span());
  // Room that is never touched costs no memory, and nothing is moved.
  result.occurrences.reserve(std::size(kLengths) * symbols.size());
  Collector collector(sa.span(), lcp.span(), plcp.span(), most, result);
  int32_t shorter = 0;
  for (const int32_t k : kLengths) {
    collector.collect(k, shorter);
    shorter = k;
  }
  return result;
}

}  // namespace deepprof
