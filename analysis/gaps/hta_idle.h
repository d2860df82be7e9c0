// Idle time by the rule of HolisticTraceAnalysis, for people who compare with it: per stream, in
// whole microseconds, with its three classes. Its rule is not ours (docs/metrics.md): it looks at
// one stream at a time, so a stream that has nothing to do is "idle" while another computes; it
// rounds starts up and ends down to microseconds; and a gap is host wait when the launch began
// after the op before had ended.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/model/trace.h"

namespace deepprof {

struct HtaIdle {
  uint32_t stream = 0;
  int64_t host_wait_us = 0;
  int64_t kernel_wait_us = 0;  // queued in time and under 30 us
  int64_t other_us = 0;
};

enum class Unlaunched : uint8_t {
  dropped,    // what HTA usually does with ops that have no launch record
  host_wait,  // what it does where the correlation id names a call that is not in the trace
};

// One row for each stream of a device, in the order of their first ops. `ops`: those of the device,
// ascending.
std::vector<HtaIdle> hta_idle(const Trace& trace, std::span<const uint32_t> ops,
                              Unlaunched unlaunched = Unlaunched::dropped);

}  // namespace deepprof
