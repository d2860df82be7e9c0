#include "analysis/device/usage.h"

#include <algorithm>

namespace deepprof {
namespace {

std::optional<double> mean_of(const Curve& curve, Window window) {
  const Amount amount = curve.over(window);
  const auto wall_ns = static_cast<double>(window.end_ns - window.start_ns);
  if (amount.known_ns <= 0 || static_cast<double>(amount.known_ns) < kKnownEnough * wall_ns)
    return {};
  return amount.per_second();
}

// Of nanoseconds of CPU time by second.
std::optional<double> cores_of(std::optional<double> ns_per_s) {
  return ns_per_s ? std::optional(*ns_per_s / 1e9) : ns_per_s;
}

std::optional<double> total_of(const Curve& curve, Window window) {
  const std::optional<double> mean = mean_of(curve, window);
  if (!mean) return {};
  return *mean * static_cast<double>(window.end_ns - window.start_ns) / 1e9;
}

std::optional<double> throttled_share(std::span<const SamplePoint> points, Window window) {
  size_t all = 0, throttled = 0;
  for (const SamplePoint& point : points) {
    if (point.time_ns < window.start_ns || point.time_ns >= window.end_ns) continue;
    ++all;
    throttled += throttle_bits(point) != 0;
  }
  if (all == 0) return {};
  return static_cast<double>(throttled) / static_cast<double>(all);
}

}  // namespace

const char* energy_source_words(EnergySource source) {
  switch (source) {
    case EnergySource::counter: return "energy counter";
    case EnergySource::power: return "integral of sampled power";
    case EnergySource::power_against_counter:
      return "integral of sampled power (the energy counter falls short of it)";
    case EnergySource::none: break;
  }
  return "";
}

const char* throttle_words(uint64_t bit) {
  switch (bit) {
    case 0x04: return "power cap";
    case 0x08: return "hardware slowdown";
    case 0x20: return "heat (software)";
    case 0x40: return "heat (hardware)";
    case 0x80: return "power brake";
    default: return "";
  }
}

GpuMeter::GpuMeter(const SampleIndex& samples, uint32_t device) {
  const auto gauge = [&](Metric metric) { return Curve::of_gauge(samples.of(metric, device)); };
  const Curve power = gauge(Metric::gpu_power);
  const std::span<const SamplePoint> counter = samples.of(Metric::gpu_energy, device);
  energy_ = Curve::of_counter(Metric::gpu_energy, counter, power);
  source_ = EnergySource::counter;
  check_ = check_counter(counter, power);
  if (check_.refused()) {
    energy_ = power;
    source_ = EnergySource::power_against_counter;
  } else if (energy_.empty() || energy_.over(energy_.span()).known_ns == 0) {
    unusable_counter_ = !energy_.empty();
    energy_ = power;
    source_ = power.empty() ? EnergySource::none : EnergySource::power;
  }
  utilization_ = gauge(Metric::gpu_utilization);
  sm_clock_ = gauge(Metric::gpu_sm_clock);
  memory_clock_ = gauge(Metric::gpu_memory_clock);
  pcie_received_ = gauge(Metric::gpu_pcie_received);
  pcie_sent_ = gauge(Metric::gpu_pcie_sent);
  memory_ = samples.of(Metric::gpu_memory_used, device);
  process_memory_ = samples.of(Metric::gpu_process_memory, device);
  temperature_ = samples.of(Metric::gpu_temperature, device);
  throttle_ = samples.of(Metric::gpu_throttle, device);
}

Window GpuMeter::sampled_part(Window window) const {
  if (energy_.empty()) return window;
  const Window part{std::max(window.start_ns, energy_.span().start_ns),
                    std::min(window.end_ns, energy_.span().end_ns)};
  return part.start_ns < part.end_ns ? part : window;
}

GpuUse GpuMeter::in(Window window) const {
  GpuUse use;
  use.energy_mj = total_of(energy_, window);
  use.power_mw = mean_of(energy_, window);
  use.utilization_ratio = mean_of(utilization_, window);
  use.memory_peak_bytes = greatest_in(memory_, window);
  use.process_memory_peak_bytes = greatest_in(process_memory_, window);
  use.temperature_max_c = greatest_in(temperature_, window);
  use.sm_clock_mhz = mean_of(sm_clock_, window);
  use.memory_clock_mhz = mean_of(memory_clock_, window);
  use.pcie_received_bytes_per_s = mean_of(pcie_received_, window);
  use.pcie_sent_bytes_per_s = mean_of(pcie_sent_, window);
  use.throttled_ratio = throttled_share(throttle_, window);
  return use;
}

HostMeter::HostMeter(const SampleIndex& samples) : samples_(samples) {
  const auto mean = [&](Metric metric) { return Curve::of_mean(samples.of(metric)); };
  const auto counter = [&](Metric metric) {
    return Curve::of_counter(metric, samples.of(metric), Curve());
  };
  process_cpu_ = mean(Metric::process_cpu);
  children_cpu_ = counter(Metric::children_cpu);
  system_cpu_ = mean(Metric::system_cpu);
  system_io_wait_ = mean(Metric::system_io_wait);
  cpu_energy_ = counter(Metric::cpu_energy);
  read_ = counter(Metric::process_read);
  written_ = counter(Metric::process_written);
  minor_faults_ = counter(Metric::process_minor_faults);
  major_faults_ = counter(Metric::process_major_faults);
  voluntary_ = counter(Metric::process_voluntary_switches);
  involuntary_ = counter(Metric::process_involuntary_switches);
}

HostUse HostMeter::in(Window window) const {
  const auto greatest = [&](Metric metric) { return greatest_in(samples_.of(metric), window); };
  HostUse use;
  use.process_cpu_ratio = mean_of(process_cpu_, window);
  use.process_memory_peak_bytes = greatest(Metric::process_memory);
  use.process_threads_most = greatest(Metric::process_threads);
  use.children_cpu_ratio = cores_of(mean_of(children_cpu_, window));
  use.children_memory_peak_bytes = greatest(Metric::children_memory);
  use.children_most = greatest(Metric::children);
  use.process_read_bytes = total_of(read_, window);
  use.process_written_bytes = total_of(written_, window);
  use.minor_faults = total_of(minor_faults_, window);
  use.major_faults = total_of(major_faults_, window);
  use.voluntary_switches = total_of(voluntary_, window);
  use.involuntary_switches = total_of(involuntary_, window);
  use.system_cpu_ratio = mean_of(system_cpu_, window);
  use.system_io_wait_ratio = mean_of(system_io_wait_, window);
  use.system_memory_peak_bytes = greatest(Metric::system_memory_used);
  use.cpu_temperature_max_c = greatest(Metric::cpu_temperature);
  use.cpu_energy_mj = total_of(cpu_energy_, window);
  use.cpu_power_mw = mean_of(cpu_energy_, window);
  return use;
}

}  // namespace deepprof
