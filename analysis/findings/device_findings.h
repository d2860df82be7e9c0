// Findings from what was sampled beside the run: GPUs that share the work unevenly, memory nearly
// full, clocks held down, cores that are all busy.
#pragma once

#include "analysis/categories/framework.h"
#include "analysis/device/run_use.h"
#include "analysis/device/sample_index.h"
#include "analysis/device/usage.h"
#include "analysis/findings/findings.h"

namespace deepprof {

// A GPU of a job: of this process, or of one of its ranks. Its work is what it computes: a GPU that
// waits in a collective for the others is busy, too.
struct ShareOfWork {
  std::string name;  // "GPU 0", "rank 3"
  bool used = false;
  GpuUse use;
  int64_t compute_ns = 0;
  double compute_ratio = 0;  // of the part of the run that was recorded

  void set_compute(int64_t ns, int64_t recorded_ns) {
    compute_ns = ns;
    compute_ratio =
        static_cast<double>(ns) / static_cast<double>(recorded_ns > 0 ? recorded_ns : 1);
  }
};

// Between the GPUs of a job: by compute time, and by power, memory and temperature where they were
// sampled.
void find_imbalance(std::span<const ShareOfWork> members, Findings& out);

// Between those that a process uses, and those that it sees and leaves idle.
void find_imbalance(const Trace& trace, const Figures& figures, const RunUse& use, Findings& out);

// Of one GPU.
void find_device_limits(const Trace& trace, const Figures& figures, const DeviceFigures& device,
                        const SampleIndex& samples, const RunUse& use, Findings& out);

// Of the process and its machine in the run.
void find_host_limits(const Trace& trace, const RunUse& use, Window run, Findings& out);

}  // namespace deepprof
