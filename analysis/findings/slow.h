// Slow iterations: which of the counted iterations stand out, and what grew in them.
//
// Robust: modified z = 0.6745 (x - median) / MAD above 3.5 and more than 10 % over the median
// (where the MAD is 0, the 10 % alone). What grew is told against the median of each part over all
// counted iterations.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/report/figures.h"

namespace deepprof {

// The parts that an iteration's wall time is made of: exposed activities, then causes of idle time.
inline constexpr size_t kParts = kActivities + kCauses;
using PartTimes = std::array<int64_t, kParts>;
PartTimes parts_of(const Account& account, const CauseTimes& idle);
const char* part_name(size_t part);  // "compute", "exposed memcpy", "host outside CUDA", ...

struct SlowIteration {
  uint32_t iteration = 0;  // index into DeviceMined::iterations
  int64_t number = 0;      // its number in the run
  double z = 0;            // 0 where the MAD is 0
  int64_t excess_ns = 0;   // over the median duration
  PartTimes growth_ns{};   // of each part over its median; may be negative
  size_t grown_most = 0;   // the part with the largest growth
};

struct SlowFigures {
  std::vector<SlowIteration> slow;  // by excess, largest first
  uint32_t typical = kNone;         // the counted iteration whose duration is closest to the median
  int64_t median_ns = 0;
  PartTimes median_parts{};
};

SlowFigures find_slow(const DeviceFigures& device);

// "9 of 1,204: 212 418 630 ...; worst 212 (+1.59 s), 98 % of it from host outside CUDA". Empty for
// none. Not `numbered` (the numbers are not those of the run): "9 of 1,204; worst (+1.59 s), 98 %
// of it from ...".
std::string slow_text(const SlowFigures& slow, size_t counted, bool numbered = true);

}  // namespace deepprof
