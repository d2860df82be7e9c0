#include "analysis/compare/measure.h"

#include <array>

namespace deepprof {
namespace {

constexpr std::array<MeasureInfo, kMeasures> kTable{{
    {"iteration_ns", "iteration", Unit::nanoseconds, false, true},
    {"compute_ns", "compute", Unit::nanoseconds, true, true},
    {"communication_exposed_ns", "communication, exposed", Unit::nanoseconds, true, true},
    {"memcpy_exposed_ns", "memcpy, exposed", Unit::nanoseconds, true, true},
    {"memset_exposed_ns", "memset, exposed", Unit::nanoseconds, true, true},
    {"host_outside_ns", "idle: host outside CUDA", Unit::nanoseconds, true, true},
    {"host_launch_ns", "idle: host launch-bound", Unit::nanoseconds, true, true},
    {"host_blocked_ns", "idle: host blocked in CUDA", Unit::nanoseconds, true, true},
    {"dependency_wait_ns", "idle: dependency wait", Unit::nanoseconds, true, true},
    {"kernel_wait_ns", "idle: kernel wait", Unit::nanoseconds, true, true},
    {"graph_replay_ns", "idle: graph replay", Unit::nanoseconds, true, true},
    {"overhead_ns", "idle: profiler overhead", Unit::nanoseconds, true, true},
    {"unattributed_ns", "idle: unattributed", Unit::nanoseconds, true, true},
    {"idle_ns", "GPU idle", Unit::nanoseconds, false, true},
    {"busy_ratio", "GPU busy", Unit::ratio, false, true},
    {"kernels_running_ratio", "kernels running", Unit::ratio, false, true},
    {"kernels", "kernels", Unit::none, false, true},
    {"copied_in_bytes", "copied to the device", Unit::bytes, false, true},
    {"copied_out_bytes", "copied to the host", Unit::bytes, false, true},
    {"blocking_calls", "blocking calls", Unit::none, false, true},
    {"utilization_ratio", "GPU utilization (NVML)", Unit::ratio, false, true},
    {"power_mw", "power, mean", Unit::milliwatts, false, true},
    {"energy_mj", "energy", Unit::millijoules, false, true},
    {"memory_bytes", "GPU memory, most", Unit::bytes, false, false},
    {"temperature_c", "temperature, most", Unit::celsius, false, false},
    {"process_cpu_ratio", "process CPU", Unit::ratio, false, false},
}};

}  // namespace

const MeasureInfo& measure_info(Measure measure) { return kTable[index_of(measure)]; }

}  // namespace deepprof
