#include "analysis/suffix/lcp.h"

#include <algorithm>
#include <cstddef>

namespace deepprof {
namespace {

// How far ahead of its use a random access is prefetched: the latency of memory over the few
// nanoseconds that one step takes.
constexpr size_t kPrefetchDistance = 32;

// phi[p] = the suffix just before p in the suffix array, -1 for the first.
void build_phi(std::span<const int32_t> sa, std::span<int32_t> phi) {
  int32_t before = -1;
  for (size_t r = 0; r < sa.size(); ++r) {
    if (r + kPrefetchDistance < sa.size()) __builtin_prefetch(&phi[sa[r + kPrefetchDistance]], 1);
    phi[sa[r]] = before;
    before = sa[r];
  }
}

size_t common_prefix(const uint32_t* a, const uint32_t* b, size_t length, size_t most) {
  while (length < most && a[length] == b[length]) ++length;
  return length;
}

}  // namespace

void build_plcp(std::span<const uint32_t> text, std::span<const int32_t> sa,
                std::span<int32_t> plcp) {
  const size_t n = text.size();
  build_phi(sa, plcp);
  size_t length = 0;  // falls by at most one from a position to the next
  for (size_t p = 0; p < n; ++p) {
    if (p + kPrefetchDistance < n) {
      const int32_t ahead = std::max(plcp[p + kPrefetchDistance], 0);
      __builtin_prefetch(text.data() + ahead + length);
    }
    if (plcp[p] < 0) {
      plcp[p] = 0;
      length = 0;
      continue;
    }
    const auto q = static_cast<size_t>(plcp[p]);
    length = common_prefix(&text[p], &text[q], length, n - std::max(p, q));
    plcp[p] = static_cast<int32_t>(length);
    length -= length > 0;
  }
}

void build_lcp(std::span<const uint32_t> text, std::span<const int32_t> sa, std::span<int32_t> lcp,
               std::span<int32_t> plcp) {
  build_plcp(text, sa, plcp);
  for (size_t r = 0; r < sa.size(); ++r) {
    if (r + kPrefetchDistance < sa.size()) __builtin_prefetch(&plcp[sa[r + kPrefetchDistance]]);
    lcp[r] = plcp[sa[r]];
  }
}

}  // namespace deepprof
