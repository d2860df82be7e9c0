#include "analysis/compare/measure.h"

#include <array>

namespace deepprof {
namespace {

constexpr std::array<MeasureInfo, kMeasures> kTable{{
    {"iteration_ns", "iteration", Unit::nanoseconds, false},
    {"compute_ns", "compute", Unit::nanoseconds, true},
    {"communication_exposed_ns", "communication, exposed", Unit::nanoseconds, true},
    {"memcpy_exposed_ns", "memcpy, exposed", Unit::nanoseconds, true},
    {"memset_exposed_ns", "memset, exposed", Unit::nanoseconds, true},
    {"host_outside_ns", "idle: host outside CUDA", Unit::nanoseconds, true},
    {"host_launch_ns", "idle: host launch-bound", Unit::nanoseconds, true},
    {"host_blocked_ns", "idle: host blocked in CUDA", Unit::nanoseconds, true},
    {"dependency_wait_ns", "idle: dependency wait", Unit::nanoseconds, true},
    {"kernel_wait_ns", "idle: kernel wait", Unit::nanoseconds, true},
    {"graph_replay_ns", "idle: graph replay", Unit::nanoseconds, true},
    {"overhead_ns", "idle: profiler overhead", Unit::nanoseconds, true},
    {"unattributed_ns", "idle: unattributed", Unit::nanoseconds, true},
    {"idle_ns", "GPU idle", Unit::nanoseconds, false},
    {"busy_ratio", "GPU busy", Unit::ratio, false},
    {"kernels_running_ratio", "kernels running", Unit::ratio, false},
    {"kernels", "kernels", Unit::none, false},
    {"copied_in_bytes", "copied to the device", Unit::bytes, false},
    {"copied_out_bytes", "copied to the host", Unit::bytes, false},
    {"blocking_calls", "blocking calls", Unit::none, false},
    {"utilization_ratio", "GPU utilization (NVML)", Unit::ratio, false},
    {"power_mw", "power, mean", Unit::milliwatts, false},
    {"energy_mj", "energy", Unit::millijoules, false},
    {"memory_bytes", "GPU memory, most", Unit::bytes, false},
    {"temperature_c", "temperature, most", Unit::celsius, false},
    {"process_cpu_ratio", "process CPU", Unit::ratio, false},
    {"host_memory_bytes", "process memory, most", Unit::bytes, false},
}};

}  // namespace

const MeasureInfo& measure_info(Measure measure) { return kTable[index_of(measure)]; }

}  // namespace deepprof
