// How often the gate of 5 % is right and wrong on pairs of made-up runs. Seeded. Test code only.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/compare/gate.h"
#include "test/compare/made_up_runs.h"

namespace deepprof::test {

struct GateCounts {
  int fired = 0;     // the gate of 5 %
  int coarse = 0;    // it cannot tell
  int differed = 0;  // any significant difference of the typical iteration
  int covered = 0;   // the interval holds the truth
};

// Pairs of runs of 30 to 400 iterations of which the second is slower by so much of its time.
inline GateCounts count_gate(uint64_t seed, int pairs, double slower) {
  constexpr double kIteration_ns = 30e6, kLimit = 0.05;
  GateCounts counts;
  for (int pair = 0; pair < pairs; ++pair) {
    Random random((seed + static_cast<uint64_t>(pair)) * 1'000'003);  // streams that do not overlap
    const Vices vices = draw_vices(random);
    const auto size = [&] { return static_cast<size_t>(random.between(30, 400)); };
    const std::vector<double> a = draw_durations(random, vices, size());
    const std::vector<double> b =
        draw_durations(random, vices, size(), kIteration_ns * (1 + slower));
    const Resamples run_a(a, 1), run_b(b, 2);
    const MeasureChange pace = compare_durations(a, run_a, b, run_b);
    const double truth = kIteration_ns * slower;
    const bool fired = regressed(pace, kLimit).has_value();
    counts.fired += fired;
    counts.coarse += !fired && too_coarse(pace, kLimit);
    counts.differed += pace.typical.chance < kChance;
    counts.covered += pace.typical.low <= truth && truth <= pace.typical.high;
  }
  return counts;
}

}  // namespace deepprof::test
