// DurationStats of each op of a followed iteration, over all its repetitions. Written for every op
// of the run, so laid out by column: the ops of a repetition are added without a branch for each,
// in loops that the compiler turns into vector instructions. What it holds is what
// DurationStats::add() of each would.
//
// Nearly all durations of an op lie in two neighbouring octaves: these two counts of each position
// are columns, too. Which two is settled when others become more frequent.
//
// Repetitions wait until there are eight, and are added at once: the columns are read and written
// once for eight ops, and what the eight have in common is found with fewer comparisons.
//
// 140 bytes a position.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/online/duration_stats.h"

namespace deepprof {

class DurationTable {
 public:
  size_t size() const { return sums_ns_.size(); }
  // Before anything is added.
  void resize(size_t positions);
  DurationStats operator[](size_t position) const;
  // Where nothing was added.
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
  static constexpr size_t kRows = 8;     // repetitions that are added at once
  static constexpr size_t kChunk = 128;  // positions

  // What is rare among the durations of a chunk.
  struct Rare {
    bool extremes = false, octaves = false;  // whether there are any
    // By position: the shortest and the longest, and -1 where some lie in neither usual octave.
    std::array<int32_t, kChunk> least_ns, most_ns, unusual;
  };
  bool put_in_row(size_t first, std::span<const int32_t> durations_ns);
  void add_rows();
  void add_usual(size_t first, size_t count, Rare& rare);
  void add_extremes(size_t position, int64_t least_ns, int64_t most_ns);
  void add_octave(size_t position, int32_t duration_ns);
  void settle_octaves(size_t position, uint32_t upper_octave);
  DurationStats added(size_t position) const;

  std::vector<int64_t> sums_ns_;
  std::vector<int32_t> least_ns_, most_ns_;  // the extremes as far as 32 bits go: to compare with
  std::vector<Extremes> extremes_;
  // Where the upper of the two usual octaves begins, 0 before the first duration; how many lay in
  // the lower and in the upper one.
  std::vector<int32_t> borders_ns_;
  std::vector<uint32_t> lower_, upper_;
  std::vector<uint32_t> counts_;  // of the other octaves: by position, then octave
  std::vector<int32_t> rows_;     // kRows repetitions, each of size() durations
  size_t waiting_ = 0;            // of them
};

}  // namespace deepprof
