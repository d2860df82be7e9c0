// Findings from what was sampled beside the run: GPUs that share the work unevenly, memory nearly full, clocks
// held down, cores that are all busy.
#pragma once

#include "analysis/categories/framework.h"
#include "analysis/device/sample_index.h"
#include "analysis/findings/findings.h"

namespace deepprof {

// Between the GPUs that the job uses, and those that it sees and leaves idle: by busy time, and by power,
// memory and temperature where they were sampled.
void find_imbalance(const Trace& trace, const Figures& figures, const SampleIndex& samples, Findings& out);

// Of one GPU.
void find_device_limits(const Trace& trace, Framework framework, const DeviceFigures& device, const SampleIndex& samples,
                        Findings& out);

// Of the process and its machine in a window.
void find_host_limits(const SampleIndex& samples, Window window, Findings& out);

}  // namespace deepprof
