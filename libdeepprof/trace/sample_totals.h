// Totals of every sampled series over the whole run, kept while it is sampled: mean, peak and
// energy of a run of any length stay known when its samples have been let go to keep the file's
// ceiling, and after SIGKILL.
//
// The samplers add and encode, one at a time (sample/sink.h); the bytes are stored as a blob
// (docs/trace-format.md). Some 60 bytes a series.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "libdeepprof/event/metric.h"

namespace deepprof {

struct SeriesTotals {
  uint64_t samples = 0;
  int64_t first_ns = 0, last_ns = 0;
  double least = 0, greatest = 0;
  // Over `known_ns`: of gauges and means value x seconds, of counters what they grew. Times without
  // samples are not known but to means and counters, an interval in which a counter fell (a reset)
  // to nobody.
  double sum = 0;
  int64_t known_ns = 0;
  uint64_t resets = 0;   // of a counter
  uint64_t flagged = 0;  // of gpu_throttle: samples with a bit of kThrottleBits

  friend bool operator==(const SeriesTotals&, const SeriesTotals&) = default;
};

class SampleTotals {
 public:
  using Series = std::map<std::pair<Metric, uint32_t>, SeriesTotals>;
  static constexpr std::string_view kBlobKey = "sample_totals";

  // A sample that is not younger than the last of its series is left out.
  void add(Metric metric, uint32_t device, int64_t time_ns, double value);

  const Series& series() const { return series_; }
  // Null: nothing was sampled.
  const SeriesTotals* of(Metric metric, uint32_t device) const;

  std::string encode() const;
  // Nothing for bytes of a newer version, or that are damaged. Metrics that this version does not
  // know are left out.
  static std::optional<SampleTotals> decode(std::string_view bytes);

 private:
  Series series_;
  std::map<std::pair<Metric, uint32_t>, double> last_;  // value of each series
};

}  // namespace deepprof
