#include "analysis/iterations/contents.h"

#include <algorithm>

namespace deepprof {

Contents::Contents(std::span<const uint32_t> symbols, uint32_t alphabet, std::span<const uint32_t> starts) {
  std::vector<uint32_t> count(alphabet, 0), seen;
  first_.push_back(0);
  for (size_t i = 0; i + 1 < starts.size(); ++i) {
    seen.clear();
    for (uint32_t at = starts[i]; at < starts[i + 1]; ++at) {
      if (count[symbols[at]]++ == 0) seen.push_back(symbols[at]);
    }
    std::sort(seen.begin(), seen.end());
    for (const uint32_t symbol : seen) {
      counts_.push_back({symbol, count[symbol]});
      count[symbol] = 0;
    }
    first_.push_back(counts_.size());
    lengths_.push_back(starts[i + 1] - starts[i]);
  }
}

double Contents::distance(size_t a, size_t b) const {
  size_t i = first_[a], j = first_[b];
  uint64_t common = 0;
  while (i < first_[a + 1] && j < first_[b + 1]) {
    if (counts_[i].symbol < counts_[j].symbol) ++i;
    else if (counts_[i].symbol > counts_[j].symbol) ++j;
    else common += std::min(counts_[i++].count, counts_[j++].count);
  }
  const double both = static_cast<double>(lengths_[a]) + lengths_[b];
  return both > 0 ? 1 - 2 * static_cast<double>(common) / both : 0;
}

double Contents::mean_distance(size_t lag) const {
  if (lag >= size()) return 1;
  double sum = 0;
  for (size_t i = 0; i + lag < size(); ++i) sum += distance(i, i + lag);
  return sum / static_cast<double>(size() - lag);
}

}  // namespace deepprof
