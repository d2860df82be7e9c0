// Estimated SM efficiency: how much of the device the kernels' grids could fill at best.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/breakdown/account.h"
#include "analysis/model/trace.h"

namespace deepprof {

// The integral of min(blocks of the kernels running at a time / SMs, 1) over the windows
// (ascending, not overlapping). Divided by their wall time it is the estimated SM efficiency.
// Negative where the device's number of SMs or the grid of any kernel is not known: a part would be
// taken for the whole.
double sm_filled_ns(const Trace& trace, std::span<const uint32_t> ops,
                    std::span<const Window> windows);

}  // namespace deepprof
