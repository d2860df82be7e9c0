// What the GPUs and the host used in a window of time: an iteration, a section, the run. Every
// figure is empty where samples do not tell.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/breakdown/account.h"
#include "analysis/device/counter_check.h"
#include "analysis/device/curve.h"
#include "analysis/device/sample_index.h"

namespace deepprof {

// So much of a window has to be known for a figure of the whole; the rest is taken to be like it.
inline constexpr double kKnownEnough = 0.8;

enum class EnergySource : uint8_t {
  none,
  counter,                // the device's own counter of energy
  power,                  // the integral of its sampled power
  power_against_counter,  // the same: there is a counter, and it shows a fraction of that
};
// "energy counter", "integral of sampled power", ...; "" for none.
const char* energy_source_words(EnergySource source);
// Of GpuMeter::unusable_counter().
inline constexpr const char* kUnusableCounterWords =
    "its energy counter moves as none can, and is not used";

struct GpuUse {
  std::optional<double> energy_mj;
  std::optional<double> power_mw;  // energy by time
  std::optional<double> utilization_ratio;
  std::optional<double> memory_peak_bytes, process_memory_peak_bytes;
  std::optional<double> temperature_max_c;
  std::optional<double> sm_clock_mhz, memory_clock_mhz;
  std::optional<double> pcie_received_bytes_per_s, pcie_sent_bytes_per_s;
  // of the samples: clocks held down by power, heat or a brake
  std::optional<double> throttled_ratio;
};

// Keeps parts of the index, which must outlive it.
class GpuMeter {
 public:
  GpuMeter(const SampleIndex& samples, uint32_t device);

  GpuUse in(Window window) const;

  EnergySource energy_source() const { return source_; }
  const CounterCheck& counter_check() const { return check_; }
  // There is an energy counter, of which every step is one that cannot be.
  bool unusable_counter() const { return unusable_counter_; }
  // The median time between the samples that energy is made of; 0: there are none.
  int64_t period_ns() const { return energy_.empty() ? 0 : energy_.period_ns(); }
  // The part of a window between the first and the last of those; the window itself where there are
  // none.
  Window sampled_part(Window window) const;

 private:
  EnergySource source_ = EnergySource::none;
  CounterCheck check_;
  bool unusable_counter_ = false;
  Curve energy_, utilization_, sm_clock_, memory_clock_, pcie_received_, pcie_sent_;
  std::span<const SamplePoint> memory_, process_memory_, temperature_, throttle_;
};

struct HostUse {
  std::optional<double> process_cpu_ratio;  // 1: one core
  std::optional<double> process_memory_peak_bytes;
  std::optional<double> process_threads_most;
  // of its children and theirs
  std::optional<double> children_cpu_ratio, children_memory_peak_bytes, children_most;
  std::optional<double> process_read_bytes, process_written_bytes;
  std::optional<double> minor_faults, major_faults, voluntary_switches, involuntary_switches;
  std::optional<double> system_cpu_ratio, system_io_wait_ratio;
  std::optional<double> system_memory_peak_bytes;
  std::optional<double> cpu_temperature_max_c;
  std::optional<double> cpu_energy_mj, cpu_power_mw;
};

class HostMeter {
 public:
  explicit HostMeter(const SampleIndex& samples);
  HostUse in(Window window) const;
  // First to last sample of the process; empty where there is none.
  Window span() const { return process_cpu_.empty() ? Window{} : process_cpu_.span(); }
  int64_t period_ns() const { return process_cpu_.empty() ? 0 : process_cpu_.period_ns(); }

 private:
  const SampleIndex& samples_;
  Curve process_cpu_, children_cpu_, system_cpu_, system_io_wait_, cpu_energy_;
  Curve read_, written_, minor_faults_, major_faults_, voluntary_, involuntary_;
};

// Of one of kThrottleBits.
const char* throttle_words(uint64_t bit);
inline uint64_t throttle_bits(const SamplePoint& mask) {
  return static_cast<uint64_t>(mask.whole()) & kThrottleBits;
}

}  // namespace deepprof
