#include "analysis/device/curve.h"

#include <algorithm>
#include <cstdlib>

namespace deepprof {
namespace {

// What makes an interval a hole: ten times the median, and two seconds at least.
constexpr int64_t kHolePeriods = 10;
constexpr int64_t kLeastHole_ns = 2'000'000'000;

double seconds(int64_t ns) { return static_cast<double>(ns) / 1e9; }

int64_t median_period(std::span<const int64_t> times) {
  std::vector<int64_t> lengths;
  for (size_t i = 0; i + 1 < times.size(); ++i) lengths.push_back(times[i + 1] - times[i]);
  if (lengths.empty()) return 0;
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

}  // namespace

Curve::Curve(std::span<const SamplePoint> points) {
  for (const SamplePoint& point : points) {
    times_.push_back(point.time_ns);
    values_.push_back(point.value);
  }
  period_ns_ = median_period(times_);
  const size_t intervals = points.size() < 2 ? 0 : points.size() - 1;
  sums_.resize(intervals);
  between_.resize(intervals);
}

bool Curve::is_hole(size_t interval) const {
  const int64_t length = length_ns(interval);
  // longer than so many periods
  return length > kLeastHole_ns && (length - 1) / kHolePeriods >= period_ns_;
}

Curve Curve::of_gauge(std::span<const SamplePoint> points) {
  Curve curve(points);
  for (size_t i = 0; i < curve.sums_.size(); ++i) {
    curve.between_[i] = curve.is_hole(i) ? Between::unknown : Between::line;
    curve.sums_[i] = (points[i].value + points[i + 1].value) / 2 * seconds(curve.length_ns(i));
  }
  curve.add_up();
  return curve;
}

Curve Curve::of_mean(std::span<const SamplePoint> points) {
  Curve curve(points);
  for (size_t i = 0; i < curve.sums_.size(); ++i) {
    curve.between_[i] = curve.is_hole(i) ? Between::whole_only : Between::even;
    curve.sums_[i] = points[i + 1].value * seconds(curve.length_ns(i));
  }
  curve.add_up();
  return curve;
}

Curve Curve::of_counter(Metric metric, std::span<const SamplePoint> points, const Curve& rate) {
  Curve curve(points);
  const auto was_reset = [&](size_t i) {
    return !metric_info(metric).can_grow(points[i + 1].value - points[i].value, curve.length_ns(i));
  };
  // Growth per second of the nearest interval on either side without a reset.
  const auto beside = [&](size_t i) -> std::optional<double> {
    double growth = 0;
    int64_t length_ns = 0;
    const auto take = [&](size_t j) {
      growth += points[j + 1].value - points[j].value;
      length_ns += curve.length_ns(j);
    };
    if (i > 0 && !was_reset(i - 1)) take(i - 1);
    if (i + 1 < curve.sums_.size() && !was_reset(i + 1)) take(i + 1);
    if (length_ns == 0) return {};
    return growth / seconds(length_ns);
  };
  for (size_t i = 0; i < curve.sums_.size(); ++i) {
    curve.between_[i] = curve.is_hole(i) ? Between::whole_only : Between::even;
    curve.sums_[i] = points[i + 1].value - points[i].value;
    if (!was_reset(i)) continue;
    const Amount measured = rate.over({points[i].time_ns, points[i + 1].time_ns});
    std::optional<double> growth = beside(i);
    if (measured.known_ns > curve.length_ns(i) - measured.known_ns) growth = measured.per_second();
    if (growth && !curve.is_hole(i)) curve.sums_[i] = *growth * seconds(curve.length_ns(i));
    else curve.between_[i] = Between::unknown;
  }
  curve.add_up();
  return curve;
}

void Curve::add_up() {
  sum_before_.assign(1, 0);
  known_before_.assign(1, 0);
  for (size_t i = 0; i < sums_.size(); ++i) {
    const Amount amount = whole(i);
    sum_before_.push_back(sum_before_.back() + amount.sum);
    known_before_.push_back(known_before_.back() + amount.known_ns);
  }
}

Amount Curve::whole(size_t interval) const {
  if (between_[interval] == Between::unknown) return {};
  return {sums_[interval], length_ns(interval)};
}

Amount Curve::part(size_t interval, int64_t from_ns, int64_t to_ns) const {
  const int64_t start_ns = times_[interval], length = length_ns(interval);
  if (to_ns - from_ns == length) return whole(interval);
  switch (between_[interval]) {
    case Between::whole_only:
    case Between::unknown: return {};
    case Between::even:
      return {sums_[interval] * static_cast<double>(to_ns - from_ns) / static_cast<double>(length),
              to_ns - from_ns};
    case Between::line: break;
  }
  const double slope = (values_[interval + 1] - values_[interval]) / static_cast<double>(length);
  const double middle =
      values_[interval] +
      slope * (static_cast<double>(from_ns - start_ns) + static_cast<double>(to_ns - start_ns)) / 2;
  return {middle * seconds(to_ns - from_ns), to_ns - from_ns};
}

Amount Curve::over(Window window) const {
  if (empty()) return {};
  const int64_t from_ns = std::max(window.start_ns, times_.front()),
                to_ns = std::min(window.end_ns, times_.back());
  if (from_ns >= to_ns) return {};
  const auto first = static_cast<size_t>(std::upper_bound(times_.begin(), times_.end(), from_ns) -
                                         times_.begin()) -
                     1;
  const auto last =
      static_cast<size_t>(std::lower_bound(times_.begin(), times_.end(), to_ns) - times_.begin()) -
      1;
  if (first == last) return part(first, from_ns, to_ns);
  const Amount head = part(first, from_ns, times_[first + 1]),
               tail = part(last, times_[last], to_ns);
  return {head.sum + tail.sum + sum_before_[last] - sum_before_[first + 1],
          head.known_ns + tail.known_ns + known_before_[last] - known_before_[first + 1]};
}

std::optional<double> greatest_in(std::span<const SamplePoint> points, Window window) {
  const auto earlier = [](const SamplePoint& point, int64_t time_ns) {
    return point.time_ns < time_ns;
  };
  auto at = std::lower_bound(points.begin(), points.end(), window.start_ns, earlier);
  std::optional<double> greatest;
  const auto see = [&](double value) {
    if (!greatest || value > *greatest) greatest = value;
  };
  const auto see_border = [&](std::span<const SamplePoint>::iterator after, int64_t time_ns) {
    if (points.empty()) return;
    if (after == points.begin() || after == points.end()) {  // a sample on one side alone
      const SamplePoint& nearest = after == points.end() ? points.back() : points.front();
      if (std::abs(nearest.time_ns - time_ns) <= kLeastHole_ns) see(nearest.value);
      return;
    }
    const SamplePoint &a = *(after - 1), &b = *after;
    if (b.time_ns - a.time_ns > kLeastHole_ns) return;
    const double share =
        static_cast<double>(time_ns - a.time_ns) / static_cast<double>(b.time_ns - a.time_ns);
    see(a.value + share * (b.value - a.value));
  };
  see_border(at, window.start_ns);
  for (; at != points.end() && at->time_ns < window.end_ns; ++at) see(at->value);
  see_border(at, window.end_ns);
  return greatest;
}

}  // namespace deepprof
