#include "analysis/compare/measure.h"

#include <array>
#include <numeric>

namespace deepprof {
namespace {

constexpr std::array<MeasureInfo, kMeasures> kTable{{
    {"iteration_ns", "iteration", Unit::nanoseconds, Family::iteration},
    {"compute_ns", "compute", Unit::nanoseconds, Family::part},
    {"communication_exposed_ns", "communication, exposed", Unit::nanoseconds, Family::part},
    {"memcpy_exposed_ns", "memcpy, exposed", Unit::nanoseconds, Family::part},
    {"memset_exposed_ns", "memset, exposed", Unit::nanoseconds, Family::part},
    {"host_outside_ns", "idle: host outside CUDA", Unit::nanoseconds, Family::part},
    {"host_launch_ns", "idle: host launch-bound", Unit::nanoseconds, Family::part},
    {"host_blocked_ns", "idle: host blocked in CUDA", Unit::nanoseconds, Family::part},
    {"dependency_wait_ns", "idle: dependency wait", Unit::nanoseconds, Family::part},
    {"kernel_wait_ns", "idle: kernel wait", Unit::nanoseconds, Family::part},
    {"graph_replay_ns", "idle: graph replay", Unit::nanoseconds, Family::part},
    {"overhead_ns", "idle: profiler overhead", Unit::nanoseconds, Family::part},
    {"unattributed_ns", "idle: unattributed", Unit::nanoseconds, Family::part},
    {"idle_ns", "GPU idle", Unit::nanoseconds, Family::figure},
    {"busy_ratio", "GPU busy", Unit::ratio, Family::figure},
    {"kernels_running_ratio", "kernels running", Unit::ratio, Family::figure},
    {"kernels", "kernels", Unit::none, Family::figure},
    {"copied_in_bytes", "copied to the device", Unit::bytes, Family::figure},
    {"copied_out_bytes", "copied to the host", Unit::bytes, Family::figure},
    {"blocking_calls", "blocking calls", Unit::none, Family::figure},
    {"utilization_ratio", "GPU utilization (NVML)", Unit::ratio, Family::sampled},
    {"power_mw", "power, mean", Unit::milliwatts, Family::sampled},
    {"energy_mj", "energy", Unit::millijoules, Family::sampled},
    {"memory_bytes", "GPU memory, most", Unit::bytes, Family::sampled},
    {"temperature_c", "temperature, most", Unit::celsius, Family::sampled},
    {"process_cpu_ratio", "process CPU", Unit::ratio, Family::sampled},
    {"host_memory_bytes", "process memory, most", Unit::bytes, Family::sampled},
}};

}  // namespace

const MeasureInfo& measure_info(Measure measure) { return kTable[index_of(measure)]; }

std::vector<double> ratio_values(std::span<const double> numerators,
                                 std::span<const double> denominators) {
  const double all = std::accumulate(denominators.begin(), denominators.end(), 0.0);
  if (all <= 0) return std::vector<double>(numerators.size(), 0);
  const double ratio = std::accumulate(numerators.begin(), numerators.end(), 0.0) / all,
               mean = all / static_cast<double>(denominators.size());
  std::vector<double> values;
  for (size_t i = 0; i < numerators.size(); ++i)
    values.push_back(ratio + (numerators[i] - ratio * denominators[i]) / mean);
  return values;
}

}  // namespace deepprof
