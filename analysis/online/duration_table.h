// DurationStats of each op of a followed iteration, over all its repetitions. Written for every op
// of the run, so laid out by column: the ops of a repetition are added without a branch for each,
// in loops that the compiler turns into vector instructions. What it holds is what
// DurationStats::add() of each would.
//
// Nearly all durations of an op lie in two neighbouring octaves: these two counts of each position
// are columns, too. Which two is settled when others become more frequent.
//
// 108 bytes a position.
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
  // Of the ops from `first` on: kMissing for those not seen, the others neither negative nor
  // INT32_MAX.
  static constexpr int32_t kMissing = -1;
  void add(size_t first, std::span<const int32_t> durations_ns);

  friend bool operator==(const DurationTable& a, const DurationTable& b);

 private:
  struct Extremes {
    int64_t min_ns = INT64_MAX, max_ns = 0;
    friend bool operator==(const Extremes&, const Extremes&) = default;
  };
  struct Unusual {
    bool extremes, octaves;
  };
  Unusual add_usual(size_t first, std::span<const int32_t> durations_ns);
  void add_extremes(size_t first, std::span<const int32_t> durations_ns);
  void add_octaves(size_t first, std::span<const int32_t> durations_ns);
  void settle_octaves(size_t position, uint32_t upper_octave);

  std::vector<int64_t> sums_ns_;
  std::vector<int32_t> least_ns_, most_ns_;  // the extremes as far as 32 bits go: to compare with
  std::vector<Extremes> extremes_;
  // Where the upper of the two usual octaves begins, 0 before the first duration; how many lay in
  // the lower and in the upper one.
  std::vector<int32_t> borders_ns_;
  std::vector<uint32_t> lower_, upper_;
  std::vector<uint32_t> counts_;  // of the other octaves: by position, then octave
};

}  // namespace deepprof
