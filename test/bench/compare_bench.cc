// How often `deepprof compare --gate 5` is wrong: on pairs of made-up runs that do not differ, and
// on pairs of which the second is 8 % slower.
//
//   bench_compare [pairs]      figures in docs/metrics.md
#include <cstdio>
#include <cstdlib>

#include "analysis/compare/gate.h"
#include "test/compare/made_up_runs.h"

namespace deepprof::test {
namespace {

struct Counts {
  int fired = 0;     // the gate of 5 %
  int coarse = 0;    // it cannot tell
  int differed = 0;  // any significant difference of the typical iteration
  int covered = 0;   // the interval holds the truth
};

Counts count(uint64_t seed, int pairs, double slower) {
  Counts counts;
  for (int pair = 0; pair < pairs; ++pair) {
    Random random((seed + static_cast<uint64_t>(pair)) * 1'000'003);  // streams that do not overlap
    const Vices vices = draw_vices(random);
    const auto size = [&] { return static_cast<size_t>(random.between(30, 400)); };
    const std::vector<double> a = draw_durations(random, vices, size());
    const std::vector<double> b = draw_durations(random, vices, size(), 30e6 * (1 + slower));
    const Resamples run_a(a, 1), run_b(b, 2);
    const MeasureChange pace = compare_durations(a, run_a, b, run_b);
    const double truth = 30e6 * slower;
    const bool fired = regressed(pace, 0.05).has_value();
    counts.fired += fired;
    counts.coarse += !fired && too_coarse(pace, 0.05);
    counts.differed += pace.typical.chance < kChance;
    counts.covered += pace.typical.low <= truth && truth <= pace.typical.high;
  }
  return counts;
}

int run(int argc, char** argv) {
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::printf(
      "%d pairs each, 30 to 400 iterations; jitter 0.3 to 5 %%, drift up to 2 %%, outliers up to 3 "
      "%%\n",
      pairs);
  std::printf(
      "slower   gate of 5 %% fires   cannot tell   difference found   99 %% interval holds the "
      "truth\n");
  for (const double slower : {0.0, 0.02, 0.08, 0.15}) {
    const Counts counts = count(20261129, pairs, slower);
    const auto percent = [&](int n) { return 100.0 * n / pairs; };
    std::printf("%5.0f %%   %14.1f %%   %9.1f %%   %14.1f %%   %14.1f %%\n", 100 * slower,
                percent(counts.fired), percent(counts.coarse), percent(counts.differed),
                percent(counts.covered));
  }
  return 0;
}

}  // namespace
}  // namespace deepprof::test

int main(int argc, char** argv) { return deepprof::test::run(argc, argv); }
