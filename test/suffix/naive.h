// The judge of the suffix array and its LCP: compares whole suffixes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace deepprof::test {

using Text = std::vector<uint32_t>;

inline std::vector<int32_t> naive_suffix_array(const Text& text) {
  std::vector<int32_t> sa(text.size());
  std::iota(sa.begin(), sa.end(), 0);
  std::sort(sa.begin(), sa.end(), [&](int32_t a, int32_t b) {
    return std::lexicographical_compare(text.begin() + a, text.end(), text.begin() + b, text.end());
  });
  return sa;
}

inline std::vector<int32_t> naive_lcp(const Text& text, const std::vector<int32_t>& sa) {
  std::vector<int32_t> lcp(sa.size(), 0);
  for (size_t r = 1; r < sa.size(); ++r) {
    const auto last = text.end();
    const auto [a, b] = std::mismatch(text.begin() + sa[r - 1], last, text.begin() + sa[r], last);
    lcp[r] = static_cast<int32_t>(a - (text.begin() + sa[r - 1]));
  }
  return lcp;
}

}  // namespace deepprof::test
