// A sampled series as a curve over time, and its exact integral between any two instants.
//
// Between two samples a gauge runs in a straight line, a mean holds, and a counter grows evenly, so
// that a window shorter than the time between samples gets its share of the interval that it lies
// in. An interval much longer than the others is a hole: what happened in it is not known. A
// counter still knows the hole's total, so a window that holds the whole hole knows its own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/breakdown/account.h"
#include "analysis/device/sample_index.h"

namespace deepprof {

// What is known of a window: the integral over `known_ns` of it.
struct Amount {
  double sum = 0;  // gauges and means: value x seconds (mW: mJ); counters: their own unit
  int64_t known_ns = 0;

  // Per second of the known part. Precondition: known_ns > 0.
  double per_second() const { return sum / (static_cast<double>(known_ns) / 1e9); }
};

class Curve {
 public:
  Curve() = default;
  // `points` of ascending time; fewer than two make a curve that knows nothing.
  static Curve of_gauge(std::span<const SamplePoint> points);
  static Curve of_mean(std::span<const SamplePoint> points);
  // Where the counter has fallen, or grown as it cannot (MetricInfo::can_grow), it was reset: the
  // interval's growth comes from `rate` (the counter's unit per second) if that knows it, else from
  // the intervals beside it.
  static Curve of_counter(Metric metric, std::span<const SamplePoint> points, const Curve& rate);

  Amount over(Window window) const;

  bool empty() const { return times_.size() < 2; }
  // The median time between samples. Precondition: !empty().
  int64_t period_ns() const { return period_ns_; }
  Window span() const { return {times_.front(), times_.back()}; }

 private:
  enum class Between : uint8_t { line, even, whole_only, unknown };

  explicit Curve(std::span<const SamplePoint> points);
  void add_up();
  Amount whole(size_t interval) const;
  Amount part(size_t interval, int64_t from_ns, int64_t to_ns) const;
  bool is_hole(size_t interval) const;
  int64_t length_ns(size_t interval) const { return times_[interval + 1] - times_[interval]; }

  int64_t period_ns_ = 0;
  std::vector<int64_t> times_;
  std::vector<double> values_;      // line: at each time
  std::vector<double> sums_;        // by interval
  std::vector<Between> between_;    // by interval
  std::vector<double> sum_before_;  // of the intervals before each time
  std::vector<int64_t> known_before_;
};

// The greatest value of a gauge in a window: its samples there, and at the borders the line between
// samples, or the one sample near it (two seconds). Nothing where there is none.
std::optional<double> greatest_in(std::span<const SamplePoint> points, Window window);

}  // namespace deepprof
