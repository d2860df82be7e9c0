// DurationStats of each op of a followed iteration, over all its repetitions. Written for every op
// of the run, so laid out by column: ops that were matched in a row are added without a branch for
// each, in loops that the compiler turns into vector instructions. What it holds is what
// DurationStats::add() of each would.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/online/duration_stats.h"

namespace deepprof {

class DurationTable {
 public:
  size_t size() const { return sums_ns_.size(); }
  void resize(size_t positions);
  DurationStats operator[](size_t position) const;
  void set(size_t position, const DurationStats& stats);

  void add(size_t position, int64_t duration_ns);
  // Of ops in a row from `first` on, none negative or INT32_MAX.
  void add(size_t first, std::span<const int32_t> durations_ns);

  friend bool operator==(const DurationTable&, const DurationTable&) = default;

 private:
  struct Extremes {
    int64_t min_ns = INT64_MAX, max_ns = 0;
    friend bool operator==(const Extremes&, const Extremes&) = default;
  };
  void add_totals(size_t first, std::span<const int32_t> durations_ns);
  void count_octaves(size_t first, std::span<const int32_t> durations_ns);

  std::vector<int64_t> sums_ns_;
  std::vector<int32_t> least_ns_, most_ns_;  // the extremes as far as 32 bits go: to compare with
  std::vector<Extremes> extremes_;
  std::vector<uint32_t> counts_;  // by position, then octave
};

}  // namespace deepprof
