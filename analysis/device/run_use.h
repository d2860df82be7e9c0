// What a run used, however many of its samples the file still holds.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/device/run_totals.h"
#include "analysis/device/sample_index.h"
#include "analysis/device/usage.h"

namespace deepprof {

// What a run used: from its samples, or from the totals where the samples are not all there.
class RunUse {
 public:
  RunUse(const Trace& trace, const SampleIndex& samples)
      : samples_(samples), totals_(trace.blobs), counted_(totals_.exceed(samples)) {}
  RunUse(const Trace&, SampleIndex&&) = delete;  // which is kept by reference

  bool counted() const { return counted_; }  // from the totals
  const RunTotals& totals() const { return totals_; }
  std::vector<uint32_t> gpus() const { return counted_ ? totals_.gpus() : samples_.gpus(); }
  // `run`: of what, as far as it was sampled, where the samples tell.
  GpuUse gpu(uint32_t device, Window run) const;
  HostUse host(Window run) const;
  // Share of the run, as far as it was sampled, in which a thread could run and had no core: of one
  // that lived for a moment it is small however long it waited then.
  std::optional<double> without_core(uint32_t thread, Window run) const;

 private:
  const SampleIndex& samples_;
  RunTotals totals_;
  bool counted_;
};

}  // namespace deepprof
