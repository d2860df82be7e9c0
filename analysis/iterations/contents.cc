#include "analysis/iterations/contents.h"

#include <algorithm>

namespace deepprof {

// This share of the alphabet, and more.
constexpr size_t kMany = 8;

Contents::Contents(std::span<const uint32_t> symbols, uint32_t alphabet,
                   std::span<const Tile> tiles) {
  std::vector<uint32_t> count(alphabet, 0), seen;
  first_.push_back(0);
  for (const Tile& tile : tiles) {
    seen.clear();
    for (uint32_t at = tile.first; at < tile.last; ++at) {
      if (count[symbols[at]]++ == 0) seen.push_back(symbols[at]);
    }
    // Many of them are put in order by a look at all that there are.
    if (kMany * seen.size() > alphabet) {
      seen.clear();
      for (uint32_t symbol = 0; symbol < alphabet; ++symbol) {
        if (count[symbol] > 0) seen.push_back(symbol);
      }
    } else {
      std::sort(seen.begin(), seen.end());
    }
    for (const uint32_t symbol : seen) {
      counts_.push_back({symbol, count[symbol]});
      count[symbol] = 0;
    }
    first_.push_back(counts_.size());
    lengths_.push_back(tile.last - tile.first);
  }
}

uint64_t Contents::common(size_t a, size_t b) const {
  size_t i = first_[a], j = first_[b];
  uint64_t sum = 0;
  while (i < first_[a + 1] && j < first_[b + 1]) {
    if (counts_[i].symbol < counts_[j].symbol) ++i;
    else if (counts_[i].symbol > counts_[j].symbol) ++j;
    else sum += std::min(counts_[i++].count, counts_[j++].count);
  }
  return sum;
}

double Contents::distance(size_t a, size_t b) const {
  const double both = static_cast<double>(lengths_[a]) + lengths_[b];
  return both > 0 ? 1 - 2 * static_cast<double>(common(a, b)) / both : 0;
}

double Contents::contained(size_t a, size_t b) const {
  return lengths_[a] > 0 ? static_cast<double>(common(a, b)) / lengths_[a] : 0;
}

double Contents::mean_distance(size_t lag, size_t count, double enough) const {
  if (lag >= count) return 1;
  const auto pairs = static_cast<double>(count - lag);
  double sum = 0;
  for (size_t i = 0; i + lag < count && sum / pairs < enough; ++i) sum += distance(i, i + lag);
  return sum / pairs;
}

}  // namespace deepprof
