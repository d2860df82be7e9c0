// What GPUs and host used over the whole run, from the totals that were kept while it was sampled
// (sample_totals.h): for runs whose samples are not all in the file any more.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/device/sample_index.h"
#include "analysis/device/usage.h"
#include "libdeepprof/trace/sample_totals.h"

namespace deepprof {

// Of a thread, before anything is said of its waiting.
inline constexpr uint64_t kFewestOfThread = 3;

class RunTotals {
 public:
  // `blobs` of a trace. Empty where they hold none: files of older versions.
  explicit RunTotals(const std::map<std::string, std::string>& blobs);

  // They are there and cannot be read.
  bool damaged() const { return damaged_; }

  // True if they are of more samples than the file holds: over a hundredth of a series is missing
  // there.
  bool exceed(const SampleIndex& samples) const;

  GpuUse gpu(uint32_t device) const;
  EnergySource energy_source(uint32_t device) const;
  HostUse host() const;
  // Share of the run in which a thread could run and had no core.
  std::optional<double> without_core(uint32_t thread) const;

  std::vector<uint32_t> gpus() const;
  // First to last sample of any series; empty where there is none.
  Window span() const;

 private:
  std::optional<double> mean(Metric metric, uint32_t device = kHostDevice) const;
  std::optional<double> total(Metric metric, uint32_t device = kHostDevice) const;
  std::optional<double> greatest(Metric metric, uint32_t device = kHostDevice) const;
  Metric energy_metric(uint32_t device) const;
  CounterCheck check(uint32_t device) const;

  SampleTotals totals_;
  bool damaged_ = false;
};

// To be said where RunTotals are damaged.
inline constexpr const char* kTotalsDamaged =
    "the totals of what was sampled cannot be read (damaged, or of another version): all is of the "
    "samples in the file";

}  // namespace deepprof
