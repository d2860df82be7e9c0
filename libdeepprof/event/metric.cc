#include "libdeepprof/event/metric.h"

#include <array>

#include "libdeepprof/event/event.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

using enum Metric;
using enum MetricScope;
using enum MetricShape;

constexpr double kMost = 1e19, kMostBytes = 0x1p50;
constexpr double kMostPower_mw = 1e7;
constexpr double kMostPcie = 1e12;        // bytes a second: NVML's 0xffffffff kB are more
constexpr double kMostBits = 0x7fffffff;  // all 32 are no answer

constexpr std::array<MetricInfo, kMetricCount> kMetrics{{
    {gpu_energy, "gpu_energy_mj", gpu, counter, 0, 1e16,
     "energy of the whole GPU since its driver was loaded", kMostPower_mw},
    {gpu_power, "gpu_power_mw", gpu, gauge, 1, kMostPower_mw, "power of the whole GPU"},
    {gpu_utilization, "gpu_utilization_ratio", gpu, gauge, 0, 1,
     "share of the driver's period with any kernel on the GPU"},
    {gpu_memory_activity, "gpu_memory_activity_ratio", gpu, gauge, 0, 1,
     "share of that period with its memory in use"},
    {gpu_memory_used, "gpu_memory_used_bytes", gpu, gauge, 0, kMostBytes,
     "memory of the GPU in use, by whomever"},
    {gpu_process_memory, "gpu_process_memory_bytes", gpu, gauge, 0, kMostBytes,
     "memory of the GPU that this process holds"},
    {gpu_temperature, "gpu_temperature_c", gpu, gauge, -50, 250, "temperature of the GPU"},
    {gpu_sm_clock, "gpu_sm_clock_mhz", gpu, gauge, 0, 1e5, "clock of the multiprocessors"},
    {gpu_memory_clock, "gpu_memory_clock_mhz", gpu, gauge, 0, 1e5, "clock of the memory"},
    {gpu_throttle, "gpu_throttle_mask", gpu, gauge, 0, kMostBits,
     "why the clocks are held down, as bits"},
    {gpu_pcie_received, "gpu_pcie_received_bytes_per_s", gpu, gauge, 0, kMostPcie,
     "bytes into the GPU over PCIe"},
    {gpu_pcie_sent, "gpu_pcie_sent_bytes_per_s", gpu, gauge, 0, kMostPcie,
     "bytes out of the GPU over PCIe"},
    {process_cpu, "process_cpu_ratio", host, mean, 0, kMost,
     "CPU time of the process by wall time: 1 is one core"},
    {process_memory, "process_memory_bytes", host, gauge, 0, kMost,
     "resident memory of the process"},
    {process_threads, "process_threads", host, gauge, 0, kMost, "threads of the process"},
    {process_minor_faults, "process_minor_faults", host, counter, 0, kMost,
     "page faults that needed no disk"},
    {process_major_faults, "process_major_faults", host, counter, 0, kMost,
     "page faults that read from disk"},
    {process_voluntary_switches, "process_voluntary_switches", host, counter, 0, kMost,
     "times a thread went to sleep"},
    {process_involuntary_switches, "process_involuntary_switches", host, counter, 0, kMost,
     "times a thread lost its core"},
    {process_read, "process_read_bytes", host, counter, 0, kMost,
     "bytes that the process read from storage"},
    {process_written, "process_written_bytes", host, counter, 0, kMost,
     "bytes that the process wrote to storage"},
    {children_cpu, "children_cpu_ns", host, counter, 0, kMost,
     "CPU time of the process' children and theirs, ended ones included"},
    {children_memory, "children_memory_bytes", host, gauge, 0, kMost,
     "resident memory of those that live, what they share counted in each"},
    {children, "children", host, gauge, 0, kMost, "how many of them live"},
    {thread_cpu, "thread_cpu_ratio", thread, mean, 0, kMost, "CPU time of the thread by wall time"},
    {thread_runnable, "thread_runnable_ratio", thread, mean, 0, kMost,
     "time in which it could run but had no core, by wall time"},
    {system_cpu, "system_cpu_ratio", host, mean, 0, 1, "busy share of all cores of the machine"},
    {system_io_wait, "system_io_wait_ratio", host, mean, 0, 1,
     "share of all cores idle with input or output pending"},
    {system_memory_used, "system_memory_used_bytes", host, gauge, 0, kMost,
     "memory of the machine that is not available"},
    {cpu_temperature, "cpu_temperature_c", host, gauge, -100, 250,
     "hottest sensor of the processors"},
    {cpu_energy, "cpu_energy_mj", host, counter, 0, kMost,
     "energy of the processor packages since the first sample"},
    {optimizer_step, "optimizer_step_ns", optimizer, gauge, 0, kMost,
     "an optimizer step has ended: how long it took on the host"},
}};

}  // namespace

std::span<const MetricInfo> metrics() { return kMetrics; }

std::string owner_words(std::string_view metric_name, uint32_t device) {
  const MetricInfo* info = find_metric(metric_name);
  if (device == kHostDevice) return "host";
  const MetricScope scope = info != nullptr ? info->scope : MetricScope::gpu;
  const char* owner = scope == MetricScope::thread      ? "thread"
                      : scope == MetricScope::optimizer ? "optimizer"
                                                        : "GPU";
  return format_text("%s %u", owner, device);
}

const MetricInfo* find_metric(std::string_view name) {
  for (const MetricInfo& info : kMetrics) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

}  // namespace deepprof
