#include "analysis/device/counter_check.h"

namespace deepprof {

CounterCheck check_counter(std::span<const SamplePoint> counter, const Curve& power) {
  CounterCheck check;
  double grown = 0, integral = 0;
  int64_t known_ns = 0;
  size_t resets = 0;
  for (size_t i = 0; i + 1 < counter.size(); ++i) {
    const double growth = counter[i + 1].value - counter[i].value;
    const int64_t length_ns = counter[i + 1].time_ns - counter[i].time_ns;
    if (!metric_info(Metric::gpu_energy).can_grow(growth, length_ns)) {
      ++resets;
      continue;
    }
    const Amount amount = power.over({counter[i].time_ns, counter[i + 1].time_ns});
    if (amount.known_ns < length_ns) continue;
    grown += growth;
    integral += amount.sum;
    known_ns += length_ns;
  }
  if (counter.size() > 1)
    check.reset_ratio = static_cast<double>(resets) / static_cast<double>(counter.size() - 1);
  if (known_ns >= kEnoughToCheck_ns && integral > 0) check.by_power = grown / integral;
  return check;
}

}  // namespace deepprof
