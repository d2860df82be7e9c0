// The order in which the host launched a device's ops. Used by make_sequence().
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/model/trace.h"
#include "analysis/sequence/start_order.h"

namespace deepprof {

struct LaunchOrder {
  std::vector<uint32_t> ops;  // indices into Trace::ops
  bool known = false;         // false: too few correlation ids; the ops are ordered by start
};

// Linear in the device's ops where each stream ran them in launch order, as streams do. `ops`:
// those of the device, ascending; taken, to give their memory back when it is no longer needed.
// `seen`: all of them.
LaunchOrder launch_order(const Trace& trace, std::vector<uint32_t> ops, const StartOrder& seen);
// Of a device whose ops were not yet looked for.
LaunchOrder launch_order(const Trace& trace, uint16_t device);

}  // namespace deepprof
