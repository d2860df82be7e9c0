// DurationStats of each op of a followed iteration, over all its repetitions. Written for every op
// of the run, so laid out by column: the ops of a repetition are added without a branch for each,
// in loops that the compiler turns into vector instructions. What it holds is what
// DurationStats::add() of each would.
//
// 112 bytes a position.
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
  // Of the ops from `first` on: kMissing for those at `missing` (positions, ascending), the others
  // neither negative nor INT32_MAX.
  static constexpr int32_t kMissing = -1;
  void add(size_t first, std::span<const int32_t> durations_ns,
           std::span<const uint32_t> missing = {});

  friend bool operator==(const DurationTable& a, const DurationTable& b);

 private:
  static constexpr size_t kPage = 64;  // positions
  struct Extremes {
    int64_t min_ns = INT64_MAX, max_ns = 0;
    friend bool operator==(const Extremes&, const Extremes&) = default;
  };
  void add_totals(size_t first, std::span<const int32_t> durations_ns);
  void count_octaves(size_t first, std::span<const int32_t> durations_ns);
  void move_recent(size_t page);

  std::vector<int64_t> sums_ns_;
  std::vector<int32_t> least_ns_, most_ns_;  // the extremes as far as 32 bits go: to compare with
  std::vector<Extremes> extremes_;
  // By position, then octave. The last few are counted in bytes, which stay in the cache, and are
  // moved page by page, before one can overflow.
  std::vector<uint32_t> counts_;
  std::vector<uint8_t> recent_;
  std::vector<uint8_t> recent_adds_;  // by page
};

}  // namespace deepprof
