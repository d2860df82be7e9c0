// What is known of a device's whole run, however long, in bounded memory: filled by the online
// miner while the job runs, stored in the trace as a blob (run_statistics_blob.h), read by the
// report. It stays complete when raw events have been let go.
//
// Bounded: 144 bytes for each op of the followed iterations (Pattern::kMaxOps of them: 19 MB at
// most, twice that where the level was decided anew), 9 KB for each of at most 65 iterations, 40
// bytes for each name (kMaxNames: 2.6 MB), 56 for each slice and 24 for each kind in it (0.9 MB at
// most, mostly 50 KB).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/iterations/mined.h"
#include "analysis/online/duration_stats.h"
#include "analysis/online/duration_table.h"
#include "libdeepprof/event/event.h"

namespace deepprof {

struct SlowInRun {
  uint64_t number = 0;  // of all iterations of the run, from 0
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  uint32_t first_correlation = 0;
  friend bool operator==(const SlowInRun&, const SlowInRun&) = default;
};

// One of the iterations that the run is followed along, over all its repetitions.
struct IterationStats {
  static constexpr uint32_t kWhole = 1'000'000;

  static constexpr size_t kMaxSlow = 64;

  std::vector<uint32_t> ops;  // name of each op
  DurationTable durations;    // of each op
  uint64_t count = 0;         // repetitions of which at least half was seen
  uint64_t broken = 0;        // begun, but less than half of it seen
  DurationHistogram time;   // from its first op to the first of the next; only where both were seen
  uint64_t slow_count = 0;  // as docs/metrics.md defines slow, by the median of the run so far
  int64_t slow_over_ns = 0;     // the bound in force; 0: too few iterations yet
  std::vector<SlowInRun> slow;  // the longest of them, longest first
  // Millionths of an iteration that one repetition is: less where what was followed turned out to
  // be micro-steps.
  uint32_t worth_ppm = kWhole;
  double worth() const { return double{1} * worth_ppm / kWhole; }
  void set_worth(double iterations) {
    worth_ppm = static_cast<uint32_t>(std::clamp(iterations * kWhole, 1.0, 4e9));
  }
  friend bool operator==(const IterationStats&, const IterationStats&) = default;
};

struct NameStats {
  NameId name = 0;
  uint64_t count = 0;
  int64_t sum_ns = 0, min_ns = INT64_MAX, max_ns = 0;
  friend bool operator==(const NameStats&, const NameStats&) = default;
};

// Iterations of one kind that ended in a slice, with a time.
struct KindInSlice {
  static constexpr uint32_t kVarying = UINT32_MAX;  // else the index among the run's iterations

  uint32_t kind = 0;
  uint64_t iterations = 0;
  int64_t time_ns = 0;  // added up
  friend bool operator==(const KindInSlice&, const KindInSlice&) = default;
};

// A piece of the run, all of about as many ops: how it went over time.
struct RunSlice {
  int64_t start_ns = 0;  // of its first op
  uint64_t ops = 0, explained_ops = 0;
  std::vector<KindInSlice> kinds;  // those of which an iteration was timed
  void add(const KindInSlice& more);
  friend bool operator==(const RunSlice&, const RunSlice&) = default;
};

struct RunStatistics {
  static constexpr size_t kMaxNames = size_t{1} << 16;
  static constexpr size_t kMaxSlices = 512;  // when full, neighbours become one

  uint16_t device = 0;
  uint64_t ops = 0;            // all GPU ops of the run
  uint64_t skipped_ops = 0;    // further ones, which came too fast to be followed
  uint64_t explained_ops = 0;  // those that belong to a followed iteration
  int64_t first_start_ns = INT64_MAX, last_end_ns = 0;
  int64_t busy_ns = 0;   // time covered by ops, taken in launch order: a lower bound
  uint64_t minings = 0;  // how often a stretch of the run was mined

  Verdict verdict = Verdict::none;  // on what was followed: as that of the offline miner
  uint32_t confidence_ppm = 0;      // that what was counted are the iterations, in millionths
  std::string decided_by;           // what chose the level, one clause
  uint64_t counted = 0;             // iterations of the run; none unless the verdict is so
  std::vector<IterationStats> iterations;  // what the run was followed along, by kind
  IterationStats varying;  // iterations that no pattern fits: mined stretch by stretch. Has no ops
  std::vector<NameStats>
      unexplained;  // ops at no position of the pattern, by name; 0 takes those over kMaxNames
  std::vector<RunSlice> slices;
  uint64_t slice_ops = 4096;  // that make a slice full

  uint64_t iteration_count() const { return counted; }
  double confidence() const { return confidence_ppm * 1e-6; }
  void set_confidence(double confidence) {
    confidence_ppm = static_cast<uint32_t>(std::clamp(confidence, 0.0, 1.0) * 1e6);
  }
  // Every name with its ops, explained or not; longest in all first.
  std::vector<NameStats> by_name() const;
  friend bool operator==(const RunStatistics&, const RunStatistics&) = default;
};

}  // namespace deepprof
