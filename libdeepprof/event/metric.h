// What is sampled beside the events: one table that samplers, reports and exporters walk.
//
// The name is the one in the trace, with its unit as suffix; the number is of this build alone. A
// reader takes a trace's metrics by name and leaves alone those that it does not know
// (docs/metrics.md).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace deepprof {

enum class Metric : uint8_t {
  gpu_energy,
  gpu_power,
  gpu_utilization,
  gpu_memory_activity,
  gpu_memory_used,
  gpu_process_memory,
  gpu_temperature,
  gpu_sm_clock,
  gpu_memory_clock,
  gpu_throttle,
  gpu_pcie_received,
  gpu_pcie_sent,
  process_cpu,
  process_memory,
  process_threads,
  process_minor_faults,
  process_major_faults,
  process_voluntary_switches,
  process_involuntary_switches,
  process_read,
  process_written,
  children_cpu,
  children_memory,
  children,
  thread_cpu,
  thread_runnable,
  system_cpu,
  system_io_wait,
  system_memory_used,
  cpu_temperature,
  cpu_energy,
  optimizer_step,
};
inline constexpr size_t kMetricCount = 32;

// Whose value it is, and what Sample::device then holds.
enum class MetricScope : uint8_t {
  gpu,        // the device's number, as in ops
  host,       // UINT32_MAX: this process or the whole machine
  thread,     // the thread's index
  optimizer,  // the number of an optimizer of the job's framework, as they first step
};

// What a value stands for between two samples of its series.
enum class MetricShape : uint8_t {
  gauge,    // what it was at that moment
  mean,     // its mean since the series' sample before
  counter,  // grows; only differences mean something, and a fall is a reset
};

struct MetricInfo {
  Metric metric;
  std::string_view name;
  MetricScope scope;
  MetricShape shape;
  // that can be: anything else is a fault of who was asked, not a measurement
  double least, greatest;
  std::string_view about;
  // of a counter, in a second: growth beyond it is a reset like a fall
  double most_per_s = std::numeric_limits<double>::infinity();

  bool can_be(double value) const { return value >= least && value <= greatest; }  // false for NaN
  // Between two samples of a counter. It may move on in steps of up to a second.
  bool can_grow(double growth, int64_t length_ns) const {
    return growth >= 0 && growth <= most_per_s * (1 + static_cast<double>(length_ns) / 1e9);
  }
};

std::span<const MetricInfo> metrics();  // in the order of Metric

inline const MetricInfo& metric_info(Metric metric) {
  return metrics()[static_cast<size_t>(metric)];
}
inline std::string_view metric_name(Metric metric) { return metric_info(metric).name; }

// The bits of gpu_throttle_mask that cost speed: power cap, hardware and thermal slowdown, power
// brake. Bits for an idle GPU or for clocks that somebody set are not among them.
inline constexpr uint64_t kThrottleBits = 0xec;

// Who is meant by a sample's device: "GPU 1", "host", "thread 3", "optimizer 0".
std::string owner_words(std::string_view metric_name, uint32_t device);

// Null for a name that this version does not know.
const MetricInfo* find_metric(std::string_view name);

}  // namespace deepprof
