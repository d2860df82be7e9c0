// What GPUs and host used during the iterations of a run.
#include <algorithm>
#include <optional>

#include "analysis/compare/run_profile.h"
#include "analysis/device/usage.h"

namespace deepprof {
namespace {

// Means over the windows that know the figure.
class Mean {
 public:
  void add(std::optional<double> value) {
    if (value) sum_ += *value, ++count_;
  }
  void store(Measured& into) const {
    if (count_ == 0) return;
    into.known = true;
    into.mean = into.typical = sum_ / count_;
  }

 private:
  double sum_ = 0;
  int count_ = 0;
};

class Most {
 public:
  void add(std::optional<double> value) {
    if (value) most_ = std::max(most_.value_or(*value), *value);
  }
  void store(Measured& into) const {
    if (!most_) return;
    into.known = true;
    into.mean = into.typical = *most_;
  }

 private:
  std::optional<double> most_;
};

void measure_energy(const SampleIndex& samples, std::span<const Window> windows, std::span<const uint16_t> devices,
                    RunProfile& profile) {
  std::vector<GpuMeter> meters;
  for (const uint16_t device : devices) meters.emplace_back(samples, device);
  Mean energy;
  for (const Window& window : windows) {
    std::optional<double> sum;
    for (const GpuMeter& meter : meters) {
      const std::optional<double> of_device = meter.in(window).energy_mj;
      if (!of_device) {
        sum.reset();
        break;
      }
      sum = sum.value_or(0) + *of_device;
    }
    energy.add(sum);
  }
  energy.store(profile[Measure::energy]);
}

void measure_gpu(const SampleIndex& samples, std::span<const Window> windows, RunProfile& profile) {
  const GpuMeter meter(samples, profile.device);
  Mean utilization, power;
  Most memory, temperature;
  for (const Window& window : windows) {
    const GpuUse use = meter.in(window);
    utilization.add(use.utilization_ratio);
    power.add(use.power_mw);
    memory.add(use.memory_peak_bytes);
    temperature.add(use.temperature_max_c);
  }
  utilization.store(profile[Measure::utilization]);
  power.store(profile[Measure::power]);
  memory.store(profile[Measure::memory]);
  temperature.store(profile[Measure::temperature]);
}

void measure_host(const SampleIndex& samples, std::span<const Window> windows, RunProfile& profile) {
  const HostMeter meter(samples);
  Mean cpu, energy, power;
  Most memory, temperature;
  for (const Window& window : windows) {
    const HostUse use = meter.in(window);
    cpu.add(use.process_cpu_ratio);
    memory.add(use.process_memory_peak_bytes);
    energy.add(use.cpu_energy_mj);
    power.add(use.cpu_power_mw);
    temperature.add(use.cpu_temperature_max_c);
  }
  cpu.store(profile[Measure::process_cpu]);
  memory.store(profile[Measure::host_memory]);
  if (profile.on_gpu) return;
  // Without a GPU the processor is the device.
  energy.store(profile[Measure::energy]);
  power.store(profile[Measure::power]);
  temperature.store(profile[Measure::temperature]);
}

}  // namespace

void measure_use(const Trace& trace, std::span<const Window> windows, std::span<const uint16_t> devices,
                 RunProfile& profile) {
  const SampleIndex samples(trace);
  if (samples.empty()) return;
  if (profile.on_gpu) {
    measure_energy(samples, windows, devices, profile);
    measure_gpu(samples, windows, profile);
  }
  measure_host(samples, windows, profile);
}

}  // namespace deepprof
