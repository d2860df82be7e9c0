#include "analysis/findings/slow.h"

#include <algorithm>
#include <cstdlib>

#include "analysis/report/quantity.h"
#include "analysis/report/units.h"
#include "libdeepprof/middle_median.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

constexpr double kMadToDeviation = 0.6745;  // of a normal distribution
constexpr double kLeastZ = 3.5;
constexpr double kLeastExcess = 0.10;

}  // namespace

PartTimes parts_of(const Account& account, const CauseTimes& idle) {
  PartTimes parts{};
  std::copy(account.exposed_ns.begin(), account.exposed_ns.end(), parts.begin());
  std::copy(idle.begin(), idle.end(), parts.begin() + kActivities);
  return parts;
}

const char* part_name(size_t part) {
  constexpr std::array<const char*, kActivities> kExposed{"compute", "exposed communication",
                                                          "exposed memcpy", "exposed memset"};
  return part < kActivities ? kExposed[part]
                            : cause_info(static_cast<Cause>(part - kActivities)).words;
}

SlowFigures find_slow(const DeviceFigures& device) {
  SlowFigures result;
  if (device.counted.empty()) return result;
  const size_t n = device.counted.size();
  std::vector<int64_t> durations(n), scratch(n);
  for (size_t i = 0; i < n; ++i) durations[i] = device.iterations[device.counted[i]].wall_ns;
  scratch = durations;
  result.median_ns = middle_median(scratch);
  for (size_t i = 0; i < n; ++i) scratch[i] = std::abs(durations[i] - result.median_ns);
  const size_t closest =
      static_cast<size_t>(std::min_element(scratch.begin(), scratch.end()) - scratch.begin());
  result.typical = device.counted[closest];
  const int64_t mad = middle_median(scratch);

  std::vector<PartTimes> parts(n);
  for (size_t i = 0; i < n; ++i) {
    parts[i] =
        parts_of(device.iterations[device.counted[i]], device.iteration_idle[device.counted[i]]);
  }
  for (size_t part = 0; part < kParts; ++part) {
    for (size_t i = 0; i < n; ++i) scratch[i] = parts[i][part];
    result.median_parts[part] = middle_median(scratch);
  }

  for (size_t i = 0; i < n; ++i) {
    const auto excess = static_cast<double>(durations[i] - result.median_ns);
    const double z = mad > 0 ? kMadToDeviation * excess / static_cast<double>(mad) : 0;
    if (excess <= kLeastExcess * static_cast<double>(result.median_ns) || (mad > 0 && z <= kLeastZ))
      continue;
    SlowIteration slow;
    slow.iteration = device.counted[i];
    slow.number = device.number_of(slow.iteration);
    slow.z = z;
    slow.excess_ns = durations[i] - result.median_ns;
    for (size_t part = 0; part < kParts; ++part)
      slow.growth_ns[part] = parts[i][part] - result.median_parts[part];
    slow.grown_most = static_cast<size_t>(
        std::max_element(slow.growth_ns.begin(), slow.growth_ns.end()) - slow.growth_ns.begin());
    result.slow.push_back(slow);
  }
  std::stable_sort(
      result.slow.begin(), result.slow.end(),
      [](const SlowIteration& a, const SlowIteration& b) { return a.excess_ns > b.excess_ns; });
  return result;
}

std::string slow_text(const SlowFigures& figures, size_t counted, bool numbered) {
  if (figures.slow.empty()) return {};
  std::vector<int64_t> numbers;
  for (const SlowIteration& slow : figures.slow) numbers.push_back(slow.number);
  std::sort(numbers.begin(), numbers.end());
  constexpr size_t kNamed = 6;
  std::string text = count_text(static_cast<int64_t>(numbers.size())) + " of " +
                     count_text(static_cast<int64_t>(counted)) + (numbered ? ":" : "");
  for (size_t i = 0; numbered && i < numbers.size() && i < kNamed; ++i)
    text += " " + std::to_string(numbers[i]);
  if (numbered && numbers.size() > kNamed) text += " ...";
  const SlowIteration& worst = figures.slow.front();
  const double part =
      static_cast<double>(worst.growth_ns[worst.grown_most]) / static_cast<double>(worst.excess_ns);
  if (numbers.size() > 1) text += "; worst" + (numbered ? " " + std::to_string(worst.number) : "");
  text += " (+" + time_text(worst.excess_ns) + "), ";
  text += part >= 0.95 ? "all" : format_text("%.0f %% of it", part * 100);
  return text + " from " + part_name(worst.grown_most);
}

}  // namespace deepprof
