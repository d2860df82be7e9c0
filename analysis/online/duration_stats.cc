#include "analysis/online/duration_stats.h"

namespace deepprof {

int64_t DurationHistogram::median_deviation_ns() const {
  if (count_ == 0) return 0;
  const int64_t median = quantile_ns(.5);
  // Grows an interval around the median, always by the nearer bucket, until it holds half of all.
  uint32_t low = bucket(median), high = low + 1;
  uint64_t inside = buckets_[low];
  int64_t deviation = 0;
  while (2 * inside < count_) {
    const int64_t below = low > 0 ? median - middle(low - 1) : INT64_MAX;
    const int64_t above = high < kBuckets ? middle(high) - median : INT64_MAX;
    if (below == INT64_MAX && above == INT64_MAX) break;
    deviation = std::max(deviation, std::min(below, above));
    inside += below <= above ? buckets_[--low] : buckets_[high++];
  }
  return deviation;
}

}  // namespace deepprof
