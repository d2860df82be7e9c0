// How often `deepprof compare --gate 5` is wrong: on pairs of made-up runs that do not differ, and
// on pairs of which the second is slower. Of durations alone, and of whole jobs whose iterations
// have to be found first. Ends with 1 where it is wrong more often than it may.
//
//   bench_compare [pairs]      figures in docs/metrics.md
#include <cstdio>
#include <cstdlib>

#include "analysis/iterations/mine.h"
#include "test/compare/gate_counts.h"
#include "test/compare/made_up_job.h"

namespace deepprof::test {
namespace {

constexpr uint64_t kSeed = 20261129;

bool print_durations(int pairs) {
  std::printf(
      "%d pairs each, 30 to 400 iterations; jitter 0.3 to 5 %%, drift up to 2 %%, outliers up to 3 "
      "%%\n",
      pairs);
  std::printf(
      "slower   gate of 5 %% fires   cannot tell   difference found   99 %% interval holds the "
      "truth\n");
  bool is_right = true;
  for (const double slower : {0.0, 0.02, 0.08, 0.15}) {
    const GateCounts counts = count_gate(kSeed, pairs, slower);
    const auto percent = [&](int n) { return 100.0 * n / pairs; };
    std::printf("%5.0f %%   %14.1f %%   %9.1f %%   %14.1f %%   %14.1f %%\n", 100 * slower,
                percent(counts.fired), percent(counts.coarse), percent(counts.differed),
                percent(counts.covered));
    if (slower == 0) is_right = is_right && percent(counts.fired) < 1;
    if (slower >= 0.08) is_right = is_right && percent(counts.fired) >= 95;
  }
  return is_right;
}

RunProfile run_of(const JobPlan& plan) {
  const Trace trace = MadeUpJob(plan).run();
  const Mined mined = mine(trace);
  const Figures figures = compute_figures(trace, mined);
  return profile_run(trace, figures, figures.main(), {"run", "run.dprof", 0});
}

// Jobs that wait longer for their input: by so much of an iteration, which takes 5.9 ms.
bool print_jobs(int pairs) {
  constexpr double kIteration_us = 5900;
  std::printf("\n%d pairs of jobs of 20 to 120 iterations, jitter 1 to 5 %% of every time\n",
              pairs);
  std::printf("slower   gate of 5 %% fires   cannot tell   something else named\n");
  bool is_right = true;
  for (const double slower : {0.0, 0.08}) {
    int fired = 0, inconclusive = 0, else_named = 0;
    for (int pair = 0; pair < pairs; ++pair) {
      Random random((kSeed + static_cast<uint64_t>(pair)) * 1'000'003);
      JobPlan a, b;
      a.jitter = b.jitter = 0.01 + 0.04 * random.uniform();
      a.iterations = static_cast<int>(random.between(20, 120));
      b.iterations = static_cast<int>(random.between(20, 120));
      a.seed = 2 * static_cast<uint64_t>(pair) + 1;
      b.seed = a.seed + 1;
      b.input_us += slower * kIteration_us;
      const RunProfile run_a = run_of(a), run_b = run_of(b);
      const Comparison of = compare_runs(run_a, run_b);
      const GateVerdict verdict = ask_gate(run_a, run_b, of, 0.05).verdict;
      fired += verdict == GateVerdict::failed;
      inconclusive += verdict == GateVerdict::inconclusive;
      bool other = false;
      for (const Change& change : of.changes)
        other = other || slower == 0 || change.key != "host_outside_ns";
      else_named += other;
    }
    const auto percent = [&](int n) { return 100.0 * n / pairs; };
    std::printf("%5.0f %%   %14.1f %%   %9.1f %%   %17.1f %%\n", 100 * slower, percent(fired),
                percent(inconclusive), percent(else_named));
    is_right = is_right && (slower == 0 ? percent(fired) < 1 : percent(fired) >= 95);
  }
  return is_right;
}

int run(int argc, char** argv) {
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 1000;
  const bool of_durations = print_durations(pairs), of_jobs = print_jobs(pairs);
  return of_durations && of_jobs ? 0 : 1;
}

}  // namespace
}  // namespace deepprof::test

int main(int argc, char** argv) { return deepprof::test::run(argc, argv); }
