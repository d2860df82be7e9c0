#include "analysis/device/run_totals.h"

#include <algorithm>
#include <utility>

namespace deepprof {

RunTotals::RunTotals(const std::map<std::string, std::string>& blobs) {
  const auto found = blobs.find(std::string(SampleTotals::kBlobKey));
  if (found == blobs.end()) return;
  std::optional<SampleTotals> stored = SampleTotals::decode(found->second);
  damaged_ = !stored;
  if (stored) totals_ = std::move(*stored);
}

bool RunTotals::exceed(const SampleIndex& samples) const {
  return std::any_of(totals_.series().begin(), totals_.series().end(), [&](const auto& entry) {
    const uint64_t here = samples.of(entry.first.first, entry.first.second).size();
    return entry.second.samples > here + here / 100 + 1;
  });
}

std::optional<double> RunTotals::mean(Metric metric, uint32_t device) const {
  const SeriesTotals* of = totals_.of(metric, device);
  if (of == nullptr || of->known_ns <= 0) return {};
  if (static_cast<double>(of->known_ns) <
      kKnownEnough * static_cast<double>(of->last_ns - of->first_ns))
    return {};
  return of->sum / (static_cast<double>(of->known_ns) / 1e9);
}

std::optional<double> RunTotals::total(Metric metric, uint32_t device) const {
  const std::optional<double> each_s = mean(metric, device);
  if (!each_s) return {};
  const SeriesTotals& of = *totals_.of(metric, device);
  return *each_s * static_cast<double>(of.last_ns - of.first_ns) / 1e9;
}

std::optional<double> RunTotals::greatest(Metric metric, uint32_t device) const {
  const SeriesTotals* of = totals_.of(metric, device);
  return of == nullptr || of->samples == 0 ? std::nullopt : std::optional(of->greatest);
}

CounterCheck RunTotals::check(uint32_t device) const {
  const SeriesTotals *counter = totals_.of(Metric::gpu_energy, device),
                     *power = totals_.of(Metric::gpu_power, device);
  CounterCheck check;
  if (counter == nullptr || power == nullptr || power->sum <= 0 ||
      std::min(counter->known_ns, power->known_ns) < kEnoughToCheck_ns)
    return check;
  check.by_power = counter->sum / static_cast<double>(counter->known_ns) /
                   (power->sum / static_cast<double>(power->known_ns));
  if (counter->samples > 1)
    check.reset_ratio =
        static_cast<double>(counter->resets) / static_cast<double>(counter->samples - 1);
  return check;
}

Metric RunTotals::energy_metric(uint32_t device) const {
  return mean(Metric::gpu_energy, device) && !check(device).refused() ? Metric::gpu_energy
                                                                      : Metric::gpu_power;
}

EnergySource RunTotals::energy_source(uint32_t device) const {
  if (!mean(energy_metric(device), device)) return EnergySource::none;
  if (energy_metric(device) == Metric::gpu_energy) return EnergySource::counter;
  return check(device).refused() ? EnergySource::power_against_counter : EnergySource::power;
}

GpuUse RunTotals::gpu(uint32_t device) const {
  GpuUse use;
  use.energy_mj = total(energy_metric(device), device);
  use.power_mw = mean(energy_metric(device), device);
  use.utilization_ratio = mean(Metric::gpu_utilization, device);
  use.memory_peak_bytes = greatest(Metric::gpu_memory_used, device);
  use.process_memory_peak_bytes = greatest(Metric::gpu_process_memory, device);
  use.temperature_max_c = greatest(Metric::gpu_temperature, device);
  use.sm_clock_mhz = mean(Metric::gpu_sm_clock, device);
  use.memory_clock_mhz = mean(Metric::gpu_memory_clock, device);
  use.pcie_received_bytes_per_s = mean(Metric::gpu_pcie_received, device);
  use.pcie_sent_bytes_per_s = mean(Metric::gpu_pcie_sent, device);
  if (const SeriesTotals* throttle = totals_.of(Metric::gpu_throttle, device);
      throttle != nullptr && throttle->samples > 0)
    use.throttled_ratio =
        static_cast<double>(throttle->flagged) / static_cast<double>(throttle->samples);
  return use;
}

HostUse RunTotals::host() const {
  HostUse use;
  use.process_cpu_ratio = mean(Metric::process_cpu);
  use.process_memory_peak_bytes = greatest(Metric::process_memory);
  use.process_threads_most = greatest(Metric::process_threads);
  if (const auto ns_per_s = mean(Metric::children_cpu)) use.children_cpu_ratio = *ns_per_s / 1e9;
  use.children_memory_peak_bytes = greatest(Metric::children_memory);
  use.children_most = greatest(Metric::children);
  use.process_read_bytes = total(Metric::process_read);
  use.process_written_bytes = total(Metric::process_written);
  use.minor_faults = total(Metric::process_minor_faults);
  use.major_faults = total(Metric::process_major_faults);
  use.voluntary_switches = total(Metric::process_voluntary_switches);
  use.involuntary_switches = total(Metric::process_involuntary_switches);
  use.system_cpu_ratio = mean(Metric::system_cpu);
  use.system_io_wait_ratio = mean(Metric::system_io_wait);
  use.system_memory_peak_bytes = greatest(Metric::system_memory_used);
  use.cpu_temperature_max_c = greatest(Metric::cpu_temperature);
  use.cpu_energy_mj = total(Metric::cpu_energy);
  use.cpu_power_mw = mean(Metric::cpu_energy);
  return use;
}

std::vector<uint32_t> RunTotals::gpus() const {
  std::vector<uint32_t> devices;
  for (const auto& [key, of] : totals_.series()) {
    if (metric_info(key.first).scope == MetricScope::gpu) devices.push_back(key.second);
  }
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  return devices;
}

std::optional<double> RunTotals::without_core(uint32_t thread) const {
  const SeriesTotals* of = totals_.of(Metric::thread_runnable, thread);
  const std::optional<double> waited_s = total(Metric::thread_runnable, thread);
  if (!waited_s || of->samples < kFewestOfThread) return {};
  const Window run = span();
  return *waited_s / (static_cast<double>(run.end_ns - run.start_ns) / 1e9);
}

Window RunTotals::span() const {
  Window span;
  for (const auto& [key, of] : totals_.series()) {
    if (span == Window{}) span = {of.first_ns, of.last_ns};
    span = {std::min(span.start_ns, of.first_ns), std::max(span.end_ns, of.last_ns)};
  }
  return span;
}

}  // namespace deepprof
