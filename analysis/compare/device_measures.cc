// What GPUs and host used during the iterations of a run.
//
// Most iterations are shorter than the time between samples, and NVML's power and utilization look
// back up to a second: neighbours share what was sampled. So these figures are known, and tested,
// by stretches of the run: a second's iterations at least.
#include <algorithm>
#include <numeric>
#include <optional>

#include "analysis/compare/run_profile.h"
#include "analysis/device/usage.h"

namespace deepprof {
namespace {

constexpr int64_t kLeastStretch_ns = 1'000'000'000;
constexpr size_t kMostStretches = 200;
constexpr uint64_t kSeed = 0x5EEE;

using Values = std::vector<std::optional<double>>;  // by window

// The windows of each stretch: from one index to the next. What is left at the end belongs to the
// last.
std::vector<size_t> stretch_borders(std::span<const Window> windows) {
  const size_t fewest = (windows.size() + kMostStretches - 1) / kMostStretches;
  std::vector<size_t> borders{0};
  int64_t length_ns = 0;
  for (size_t i = 0; i < windows.size(); ++i) {
    length_ns += windows[i].end_ns - windows[i].start_ns;
    if (length_ns < kLeastStretch_ns || i + 1 - borders.back() < fewest) continue;
    borders.push_back(i + 1);
    length_ns = 0;
  }
  if (borders.size() == 1) borders.push_back(windows.size());
  borders.back() = windows.size();
  return borders;
}

class UseMeasurer {
 public:
  UseMeasurer(const SampleIndex& samples, std::span<const Window> windows, RunProfile& profile)
      : samples_(samples),
        windows_(windows),
        profile_(profile),
        borders_(stretch_borders(windows)) {
    for (const Window& window : windows)
      durations_.push_back(static_cast<double>(window.end_ns - window.start_ns));
  }

  void energy_of(std::span<const uint16_t> devices) {
    Values energy(windows_.size(), 0);
    for (const uint16_t device : devices) {
      const GpuMeter meter(samples_, device);
      for (size_t i = 0; i < windows_.size(); ++i) {
        const std::optional<double> of_device = meter.in(windows_[i]).energy_mj;
        energy[i] = energy[i] && of_device ? std::optional(*energy[i] + *of_device) : std::nullopt;
      }
    }
    keep_mean(Measure::energy, energy, equal_weights());
  }

  void gpu() {
    const std::vector<GpuUse> uses = in_windows<GpuUse>(GpuMeter(samples_, profile_.device));
    keep_mean(Measure::utilization, each(uses, &GpuUse::utilization_ratio), durations_);
    keep_mean(Measure::power, each(uses, &GpuUse::power_mw), durations_);
    keep_peak(Measure::memory, each(uses, &GpuUse::memory_peak_bytes));
    keep_peak(Measure::temperature, each(uses, &GpuUse::temperature_max_c));
  }

  void host() {
    const std::vector<HostUse> uses = in_windows<HostUse>(HostMeter(samples_));
    keep_mean(Measure::process_cpu, each(uses, &HostUse::process_cpu_ratio), durations_);
    keep_peak(Measure::host_memory, each(uses, &HostUse::process_memory_peak_bytes));
    if (profile_.on_gpu) return;
    // Without a GPU the processor is the device.
    keep_mean(Measure::energy, each(uses, &HostUse::cpu_energy_mj), equal_weights());
    keep_mean(Measure::power, each(uses, &HostUse::cpu_power_mw), durations_);
    keep_peak(Measure::temperature, each(uses, &HostUse::cpu_temperature_max_c));
  }

  // One set of resamples for all: with blocks as long as the figure needs that changes most slowly.
  void resample() {
    size_t block = 1;
    for (size_t i = 0; i < kMeasures; ++i) {
      if (measure_info(static_cast<Measure>(i)).family == Family::sampled)
        block = std::max(block, block_length(profile_.measures[i].values));
    }
    profile_.stretches = Resamples(std::vector<double>(stretches(), 1), kSeed, block);
  }

 private:
  size_t stretches() const { return borders_.size() - 1; }
  std::vector<double> equal_weights() const { return std::vector<double>(windows_.size(), 1); }

  template <typename Use, typename Meter>
  std::vector<Use> in_windows(const Meter& meter) const {
    std::vector<Use> uses;
    for (const Window& window : windows_) uses.push_back(meter.in(window));
    return uses;
  }
  template <typename Use>
  static Values each(const std::vector<Use>& uses, std::optional<double> Use::*figure) {
    Values values;
    for (const Use& use : uses) values.push_back(use.*figure);
    return values;
  }

  // Over the windows that know it: sum of value x weight / sum of weights. Where fewer than half do
  // (a short run is over before its GPU is sampled for long) a stall in one is the mean of all.
  void keep_mean(Measure measure, const Values& values, std::span<const double> weights) {
    std::vector<double> sums(stretches(), 0), known(stretches(), 0);
    for (size_t stretch = 0; stretch < stretches(); ++stretch) {
      for (size_t i = borders_[stretch]; i < borders_[stretch + 1]; ++i) {
        if (!values[i]) continue;
        sums[stretch] += *values[i] * weights[i];
        known[stretch] += weights[i];
      }
    }
    const double all = std::accumulate(known.begin(), known.end(), 0.0);
    if (all <= 0 || 2 * all < std::accumulate(weights.begin(), weights.end(), 0.0)) return;
    const double mean = std::accumulate(sums.begin(), sums.end(), 0.0) / all;
    profile_[measure] = {mean, mean, true, ratio_values(sums, known)};
  }

  // The greatest of all; judged by the greatest values of the stretches.
  void keep_peak(Measure measure, const Values& values) {
    std::vector<double> peaks, known;
    for (size_t stretch = 0; stretch < stretches(); ++stretch) {
      std::optional<double> peak;
      for (size_t i = borders_[stretch]; i < borders_[stretch + 1]; ++i) {
        if (values[i]) peak = std::max(peak.value_or(*values[i]), *values[i]);
      }
      peaks.push_back(peak.value_or(0));
      known.push_back(peak ? 1 : 0);
    }
    if (std::find(known.begin(), known.end(), 1) == known.end()) return;
    const double most = *std::max_element(peaks.begin(), peaks.end());
    profile_[measure] = {most, most, true, ratio_values(peaks, known)};
  }

  const SampleIndex& samples_;
  std::span<const Window> windows_;
  RunProfile& profile_;
  const std::vector<size_t> borders_;
  std::vector<double> durations_;
};

}  // namespace

void measure_use(const SampleIndex& samples, std::span<const Window> windows,
                 std::span<const uint16_t> devices, RunProfile& profile) {
  if (samples.empty() || windows.empty()) return;
  UseMeasurer measurer(samples, windows, profile);
  if (profile.on_gpu) {
    measurer.energy_of(devices);
    measurer.gpu();
  }
  measurer.host();
  measurer.resample();
}

}  // namespace deepprof
