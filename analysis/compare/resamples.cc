#include "analysis/compare/resamples.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace deepprof {
namespace {

constexpr size_t kFewestBlocks = 5;
constexpr size_t kFewestForBlocks = 16;  // iterations below which no correlation can be estimated

class Random {  // splitmix64
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  size_t below(size_t limit) {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return static_cast<size_t>((z ^ (z >> 31)) % limit);
  }

 private:
  uint64_t state_;
};

std::vector<uint32_t> order_of(std::span<const double> durations) {
  std::vector<uint32_t> order(durations.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return durations[a] < durations[b]; });
  return order;
}

size_t trimmed(size_t count) {
  return static_cast<size_t>(kTrimmedShare * static_cast<double>(count));
}

// Of a multiset of iterations (`times` by iteration), the weights without the ends. Adds to
// `weights`.
void trim(std::span<const uint32_t> order, std::span<const uint32_t> times,
          std::span<float> weights) {
  const size_t cut = trimmed(order.size()), kept = order.size() - 2 * cut;
  size_t seen = 0;
  for (const uint32_t i : order) {
    const size_t from = std::max(seen, cut), to = std::min(seen + times[i], cut + kept);
    seen += times[i];
    if (to > from) weights[i] = static_cast<float>(to - from) / static_cast<float>(kept);
  }
}

// Outliers would hide how the others hang together.
std::vector<double> clipped(std::span<const double> durations) {
  std::vector<double> sorted(durations.begin(), durations.end());
  std::sort(sorted.begin(), sorted.end());
  const size_t cut = sorted.size() / 10;
  std::vector<double> result(durations.begin(), durations.end());
  for (double& value : result)
    value = std::clamp(value, sorted[cut], sorted[sorted.size() - 1 - cut]);
  return result;
}

}  // namespace

std::vector<float> weights_of(std::span<const double> durations, Over over) {
  const size_t n = durations.size();
  if (over == Over::all)
    return std::vector<float>(n, 1.0f / static_cast<float>(std::max<size_t>(n, 1)));
  std::vector<float> weights(n, 0);
  trim(order_of(durations), std::vector<uint32_t>(n, 1), weights);
  return weights;
}

size_t block_length(std::span<const double> durations) {
  const size_t n = durations.size();
  if (n < kFewestForBlocks) return 1;
  std::vector<double> values = clipped(durations);
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(n);
  for (double& value : values) value -= mean;
  const auto product = [&](size_t lag) {
    return std::inner_product(values.begin() + static_cast<std::ptrdiff_t>(lag), values.end(),
                              values.begin(), 0.0);
  };
  const size_t longest = n / kFewestBlocks;
  const double own = product(0);
  double time = 1;  // integrated autocorrelation time, up to the first lag that could be chance
  for (size_t lag = 1; own > 0 && lag <= longest; ++lag) {
    const double correlation = product(lag) / own;
    if (correlation < 2 / std::sqrt(static_cast<double>(n))) break;
    time += 2 * correlation;
  }
  const double least = std::cbrt(static_cast<double>(n));
  return std::clamp(static_cast<size_t>(std::lround(std::max(2 * time, least))), size_t{1},
                    longest);
}

Resamples::Resamples(std::span<const double> durations, uint64_t seed, size_t block)
    : size_(durations.size()), block_(block) {
  typical_.assign(size_ * (kCount + 1), 0);
  all_.assign(size_ * (kCount + 1), 0);
  if (size_ == 0) return;
  const std::vector<uint32_t> order = order_of(durations);
  std::vector<uint32_t> times(size_, 1);
  Random random(seed);
  for (size_t row = 0; row <= kCount; ++row) {
    if (row > 0) {
      std::fill(times.begin(), times.end(), 0);
      for (size_t drawn = 0; drawn < size_;) {
        size_t at = random.below(size_);  // blocks wrap round, so that every iteration is as likely
        for (size_t i = 0; i < block_ && drawn < size_; ++i, ++drawn) {
          ++times[at];
          if (++at == size_) at = 0;
        }
      }
    }
    trim(order, times, std::span(typical_).subspan(row * size_, size_));
    for (size_t i = 0; i < size_; ++i)
      all_[row * size_ + i] = static_cast<float>(times[i]) / static_cast<float>(size_);
  }
}

}  // namespace deepprof
