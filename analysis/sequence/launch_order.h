// The order in which the host launched a device's ops. Used by make_sequence().
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/model/trace.h"

namespace deepprof {

struct LaunchOrder {
  std::vector<uint32_t> ops;  // indices into Trace::ops
  bool known = false;         // false: too few correlation ids; the ops are ordered by start
};

// Linear in the trace where each stream ran its ops in launch order, as streams do.
// `count`: about how many ops the device has, to reserve room.
LaunchOrder launch_order(const Trace& trace, uint16_t device, size_t count = 0);

}  // namespace deepprof
