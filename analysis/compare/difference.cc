#include "analysis/compare/difference.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/compare/student.h"

namespace deepprof {
namespace {

constexpr double kNormalBound = 2.5758293035489;  // of a 99 % interval
static_assert(kChance == 0.01);

// About the first value, so that rounded weights make no noise of a figure that never changes.
double mean_of(std::span<const double> values, std::span<const float> weights) {
  if (values.empty()) return 0;
  double sum = 0;
  for (size_t i = 0; i < values.size(); ++i)
    sum += (values[i] - values[0]) * static_cast<double>(weights[i]);
  return values[0] + sum;
}

std::vector<double> means_of(std::span<const double> values, const Resamples& run, Over over,
                             size_t count) {
  std::vector<double> means(count);
  for (size_t i = 0; i < count; ++i) means[i] = mean_of(values, run.weights(over, i));
  return means;
}

double deviation_of(std::span<const double> values) {
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

Spread spread_from(std::span<const double> values, std::span<const double> means,
                   const Resamples& run, Over over, double least_error) {
  Spread spread;
  spread.mean = mean_of(values, run.point(over));
  if (!run.usable()) return spread;
  // Resampling k blocks knows their spread only around their own mean: Bessel's correction.
  const double k = run.blocks();
  spread.error = std::max(deviation_of(means) * std::sqrt(k / (k - 1)), least_error);
  spread.degrees = k - 1;
  return spread;
}

// Outliers are rare: a short run may by chance hold none, and its own spread then knows nothing of
// them. What the other run shows of them is taken to hold for both.
void share_outliers(Spread& a, Spread& b) {
  if (a.degrees <= 0 || b.degrees <= 0) return;
  const double ratio = std::sqrt((b.degrees + 1) / (a.degrees + 1)), error_a = a.error;
  a.error = std::max(a.error, b.error * ratio);
  b.error = std::max(b.error, error_a / ratio);
}

// Welch and Satterthwaite; 0 where a spread is not known.
double degrees_of(const Spread& a, const Spread& b) {
  if (a.degrees <= 0 || b.degrees <= 0) return 0;
  const double va = a.error * a.error, vb = b.error * b.error;
  if (va + vb <= 0) return a.degrees + b.degrees;
  return (va + vb) * (va + vb) / (va * va / a.degrees + vb * vb / b.degrees);
}

}  // namespace

Spread spread_of(std::span<const double> values, const Resamples& run, Over over,
                 double least_error, size_t count) {
  return spread_from(values, means_of(values, run, over, count), run, over, least_error);
}

double chance_of(const Spread& a, const Spread& b) {
  const double degrees = degrees_of(a, b);
  if (degrees <= 0 || a.mean == b.mean) return 1;
  const double error = std::hypot(a.error, b.error);
  return error > 0 ? student_tail((b.mean - a.mean) / error, degrees) : 0;
}

Difference difference_of(std::span<const double> a, const Resamples& run_a,
                         std::span<const double> b, const Resamples& run_b, Over over,
                         double least_error) {
  Difference result;
  const std::vector<double> means_a = means_of(a, run_a, over, Resamples::kCount),
                            means_b = means_of(b, run_b, over, Resamples::kCount);
  Spread spread_a = spread_from(a, means_a, run_a, over, least_error),
         spread_b = spread_from(b, means_b, run_b, over, least_error);
  if (over == Over::all) share_outliers(spread_a, spread_b);
  result.a = spread_a.mean;
  result.b = spread_b.mean;
  const double degrees = degrees_of(spread_a, spread_b);
  if (degrees <= 0) return result;
  result.tested = true;
  result.chance = chance_of(spread_a, spread_b);

  std::vector<double> changes(Resamples::kCount);
  for (size_t i = 0; i < changes.size(); ++i) changes[i] = means_b[i] - means_a[i];
  const double raw_error = std::hypot(deviation_of(means_a), deviation_of(means_b)),
               error = std::hypot(spread_a.error, spread_b.error);
  const double stretch =
      (raw_error > 0 ? error / raw_error : 1) * student_bound(kChance, degrees) / kNormalBound;
  std::sort(changes.begin(), changes.end());
  const auto cut = static_cast<size_t>(kChance / 2 * static_cast<double>(changes.size()));
  result.low = result.change() - (result.change() - changes[cut]) * stretch;
  result.high = result.change() + (changes[changes.size() - 1 - cut] - result.change()) * stretch;
  return result;
}

std::vector<bool> significant(std::span<const double> chances, double level) {
  std::vector<size_t> order(chances.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return chances[a] < chances[b]; });
  std::vector<bool> result(chances.size(), false);
  for (size_t i = 0; i < order.size(); ++i) {
    if (chances[order[i]] > level / static_cast<double>(order.size() - i)) break;
    result[order[i]] = true;
  }
  return result;
}

}  // namespace deepprof
