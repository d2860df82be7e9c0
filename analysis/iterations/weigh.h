// Weighs a level: how well its repetitions cover the string and resemble each other, and what host
// evidence stands at one place of every repetition. choose() compares levels by this.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/iterations/chain.h"
#include "analysis/iterations/cycle.h"

namespace deepprof {

// A place in the repetition at which it may be cut, with the share of repetitions that show each
// sign there.
struct Cut {
  static constexpr int kNothing = -1, kPauses = -2, kResumptions = -3;

  double offset = 0;  // ops behind the level's first landmark
  // what stands exactly here: index into Evidence::signs, kPauses, kResumptions, kNothing
  int marked_by = kNothing;
  std::array<double, kSigns> share{};
  bool at_first_op = false;  // the string begins here
  bool exactly = false;      // to the op
  double votes = 0;          // weighted sum of the shares

  double operator[](Sign which) const { return share[static_cast<size_t>(which)]; }
};

struct Weighed {
  LevelModel level;
  std::vector<Link> chain;
  // first link of each repetition that shows at least half its landmarks
  std::vector<uint32_t> starts;
  double coverage = 0;         // share of the string in those repetitions
  double exact = 0;            // share of the recording in level.run
  double updates = 0;          // optimizer runs in a repetition, mean
  double even_updates = 0;     // share of the repetitions that hold as many of them as most do
  bool holds_updates = false;  // one at least lies in the repetitions, none only beside them
  Cut cut;                     // the best place to cut
  std::array<double, kSigns> best{};  // the highest share of each sign at any place
  std::vector<double> by_list;  // the highest share at any place, by index into Evidence::signs
  // of all the host's free time, in as many longest pauses as repetitions
  double pause_share = 0;
  double pause_contrast = 0;  // these against as many that come next, in time
  // the recording begins and ends at one place of it, which is no chance
  bool whole = false;
  // ops that no repetition has stand both before and behind all of them
  bool framed = false;
  // the recording is these repetitions and a little before and behind them that they do not have
  bool enclosed = false;
  // likewise, and it is the repetition to the op that does not go on there
  bool breaks_off = false;
  double copied_in = 0;  // share of the device's time in them that copies from the host take
  size_t kinds = 0;      // distinct kernels in a usual repetition
  double unlike = 0;     // mean distance of neighbours' contents, 0..1
  double uneven = 0;     // mean difference of neighbours' lengths, share of their sum
  Cycle cycle;           // in which the contents return
};

// A stretch of the string.
struct Part {
  uint32_t first = 0, last = 0;
};

// By what lies in `window`, a part of `whole`: of the rest only its ends are looked at.
Weighed weigh(const CopyTime& copy_time, const Sequence& sequence, const Evidence& evidence,
              LevelModel level, Part window, Part whole);

}  // namespace deepprof
