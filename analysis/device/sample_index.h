// The samples of a trace, by metric and device, each series in order of time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "analysis/model/trace.h"
#include "libdeepprof/event/metric.h"

namespace deepprof {

struct SamplePoint {
  int64_t time_ns = 0;
  double value = 0;

  // Of a metric that is a count, a duration or a set of bits; a value that is none of them is
  // brought into range.
  int64_t whole() const { return value > 0 ? static_cast<int64_t>(std::min(value, 0x1p62)) : 0; }
};

class SampleIndex {
 public:
  explicit SampleIndex(const Trace& trace);

  // Empty where nothing was sampled. The host's unless a device is given.
  std::span<const SamplePoint> of(Metric metric, uint32_t device = kHostDevice) const;

  // GPUs that were sampled, ascending, used by the job or not.
  std::vector<uint32_t> gpus() const;
  // Values that cannot be (MetricInfo::can_be), and were left out.
  size_t impossible() const { return impossible_; }
  bool empty() const { return series_.empty(); }

 private:
  std::map<std::pair<Metric, uint32_t>, std::vector<SamplePoint>> series_;
  size_t impossible_ = 0;
};

}  // namespace deepprof
