// Durations seen many times, in fixed memory. DurationStats is for the thousands of ops of a
// pattern (duration_table.h), DurationHistogram for the few things whose quantiles are asked for.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace deepprof {

namespace detail {
inline uint32_t bit_width(uint64_t value) {
  return value == 0 ? 0 : 64 - static_cast<uint32_t>(__builtin_clzll(value));
}
}  // namespace detail

// Sum, extremes and one count per octave: up to 256 ns, up to 512 ns, ... up to 4.2 ms, and longer.
struct DurationStats {
  static constexpr uint32_t kOctaves = 16;
  static constexpr uint32_t kFirstOctaveBits = 8;

  int64_t sum_ns = 0;
  int64_t min_ns = INT64_MAX;
  int64_t max_ns = 0;
  std::array<uint32_t, kOctaves> octaves{};

  uint64_t count() const {
    uint64_t total = 0;
    for (const uint32_t octave : octaves) total += octave;
    return total;
  }
  // Precondition: duration_ns >= 0.
  void add(int64_t duration_ns) {
    sum_ns += duration_ns;
    if (duration_ns < min_ns) min_ns = duration_ns;  // rare: not stored each time
    if (duration_ns > max_ns) max_ns = duration_ns;
    const uint32_t bits = detail::bit_width(static_cast<uint64_t>(duration_ns) >> kFirstOctaveBits);
    ++octaves[std::min(bits, kOctaves - 1)];
  }
  friend bool operator==(const DurationStats&, const DurationStats&) = default;
};

// Counts in buckets of a thirty-second of an octave: quantiles within 1.6 % of the value. Up to 78
// hours.
class DurationHistogram {
 public:
  static constexpr uint32_t kSteps = 32;  // per octave
  static constexpr uint32_t kBuckets = kSteps * 44;

  void add(int64_t duration_ns) {
    ++buckets_[bucket(duration_ns)];
    ++count_;
    sum_ns_ += duration_ns;
    min_ns_ = std::min(min_ns_, duration_ns);
    max_ns_ = std::max(max_ns_, duration_ns);
  }
  // One that was added. The longest is then known as quantiles are, or `longest_ns`, one that stays.
  void remove(int64_t duration_ns, int64_t longest_ns) {
    uint32_t& same = buckets_[bucket(duration_ns)];
    if (same == 0 || duration_ns > sum_ns_) return;
    --same;
    --count_;
    sum_ns_ -= duration_ns;
    if (duration_ns < max_ns_) return;
    uint32_t top = kBuckets - 1;
    while (top > 0 && buckets_[top] == 0) --top;
    max_ns_ = std::max(std::clamp(middle(top), min_ns_, max_ns_), longest_ns);
  }
  uint64_t count() const { return count_; }
  int64_t sum_ns() const { return sum_ns_; }
  int64_t min_ns() const { return count_ > 0 ? min_ns_ : 0; }
  int64_t max_ns() const { return max_ns_; }
  double mean_ns() const {
    return count_ > 0 ? static_cast<double>(sum_ns_) / static_cast<double>(count_) : 0;
  }
  // The value that a share of `quantile` does not exceed; 0 while empty.
  int64_t quantile_ns(double quantile) const {
    const auto rank = static_cast<uint64_t>(quantile * static_cast<double>(count_));
    uint64_t seen = 0;
    for (uint32_t b = 0; b < kBuckets; ++b) {
      seen += buckets_[b];
      if (seen > rank) return std::clamp(middle(b), min_ns_, max_ns_);
    }
    return max_ns_;
  }
  // Median of the distances from the median.
  int64_t median_deviation_ns() const;

  // For storing it.
  uint32_t bucket_count(uint32_t bucket) const { return buckets_[bucket]; }
  void restore(uint32_t bucket, uint32_t count) {
    buckets_[bucket] += count;
    count_ += count;
  }
  void restore_totals(int64_t sum_ns, int64_t min_ns, int64_t max_ns) {
    sum_ns_ = sum_ns;
    min_ns_ = min_ns;
    max_ns_ = max_ns;
  }
  friend bool operator==(const DurationHistogram&, const DurationHistogram&) = default;

 private:
  static uint32_t bucket(int64_t duration_ns) {
    const auto value = static_cast<uint64_t>(duration_ns);
    const uint32_t octave = detail::bit_width(value / kSteps);
    const uint32_t step =
        static_cast<uint32_t>(octave == 0 ? value : (value >> (octave - 1)) - kSteps);
    return std::min(octave * kSteps + step, kBuckets - 1);
  }
  static int64_t middle(uint32_t bucket) {
    const uint32_t octave = bucket / kSteps, step = bucket % kSteps;
    if (octave == 0) return step;
    return (static_cast<int64_t>(kSteps + step) << (octave - 1)) +
           ((int64_t{1} << (octave - 1)) >> 1);
  }

  std::array<uint32_t, kBuckets> buckets_{};
  uint64_t count_ = 0;
  int64_t sum_ns_ = 0, min_ns_ = INT64_MAX, max_ns_ = 0;
};

}  // namespace deepprof
