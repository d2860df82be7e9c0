// Which segment of a file at its ceiling is let go next. Only decisions: the writer asks once for
// each segment that has to go.
//
// Of the room that raw events have, the newest segments keep half; the first ones a sixteenth, but
// at least the very first; those that hold the slowest iterations known so far a quarter. What is
// left belongs to the newest, too. Shares are of whole segments: they hold as soon as there are a
// dozen, and a file has 32.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libdeepprof/trace/let_go.h"

namespace deepprof {

// A stretch of a device's time that is worth keeping, the more the longer it took over the usual.
struct SlowStretch {
  uint32_t device = 0;
  int64_t from_ns = 0, to_ns = 0;
  int64_t excess_ns = 0;

  friend bool operator==(const SlowStretch&, const SlowStretch&) = default;
};

struct HeldSegment {
  uint32_t number = 0;  // from 1, ascending
  uint64_t bytes = 0;
  const LaneSpans* lanes = nullptr;
};

class Retention {
 public:
  static constexpr size_t kMostStretches = 64;

  // The slowest stretches of the run so far, in any order; replaces those given before.
  void keep_slowest(std::span<const SlowStretch> stretches);

  // Index of the segment to let go; never the last, which is being written. `gone`: what has been
  // let go already, for a stretch that is not whole any more is not worth room. Precondition: two
  // segments or more.
  size_t choose(std::span<const HeldSegment> segments, const LetGo& gone) const;

 private:
  std::vector<SlowStretch> slowest_;  // largest excess first
};

}  // namespace deepprof
