// What is more than chance: the statistics below `deepprof compare`.
#include <cmath>
#include <numeric>

#include "analysis/compare/gate.h"
#include "analysis/compare/student.h"
#include "test/compare/made_up_runs.h"
#include "test/support/catch.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

struct Pair {
  std::vector<double> a, b;
  MeasureChange pace() const { return compare_durations(a, Resamples(a, 1), b, Resamples(b, 2)); }
};

}  // namespace

TEST_CASE("Student's t has the tails of the tables") {
  CHECK(student_tail(12.706, 1) == Approx(0.05).epsilon(1e-3));
  CHECK(student_tail(2.776, 4) == Approx(0.05).epsilon(1e-3));
  CHECK(student_tail(-4.604, 4) == Approx(0.01).epsilon(1e-3));
  CHECK(student_tail(1.96, 1e6) == Approx(0.05).epsilon(1e-3));
  CHECK(student_tail(0, 7) == Approx(1));
  CHECK(student_tail(60, 40) > 0);
  CHECK(student_tail(60, 40) < 1e-30);
  CHECK(student_bound(0.01, 4) == Approx(4.604).epsilon(1e-3));
  CHECK(student_bound(0.05, 1e6) == Approx(1.96).epsilon(1e-3));
}

TEST_CASE(
    "Holm's procedure names less the more is asked, and nothing behind the first that fails") {
  CHECK(significant(std::vector<double>{0.009}) == std::vector<bool>{true});
  CHECK(significant(std::vector<double>{0.009, 0.5}) == std::vector<bool>{false, false});
  CHECK(significant(std::vector<double>{0.5, 0.004, 0.001}) ==
        std::vector<bool>{false, true, true});
  CHECK(significant(std::vector<double>{}).empty());
}

TEST_CASE("the typical iteration leaves out the fastest and the slowest fifth") {
  const std::vector<double> durations{10, 900, 11, 12, 1};
  const std::vector<float> weights = weights_of(durations, Over::typical);
  CHECK(weights[1] == 0);
  CHECK(weights[4] == 0);
  CHECK(static_cast<double>(weights[0]) == Approx(1.0 / 3));
  CHECK(static_cast<double>(weights_of(durations, Over::all)[1]) == Approx(0.2));
}

TEST_CASE("blocks are longer where neighbours resemble each other") {
  Random random(5);
  Vices calm{0.02, 0, 0, 0, 1}, sticky{0.02, 0.9, 0, 0, 1}, drifting{0.002, 0, 0.2, 0, 1};
  CHECK(block_length(draw_durations(random, calm, 400)) <= 10);
  CHECK(block_length(draw_durations(random, sticky, 400)) > 15);
  CHECK(block_length(draw_durations(random, drifting, 400)) == 80);
  CHECK(block_length(std::vector<double>(5, 1.0)) == 1);
  CHECK(block_length(std::vector<double>(100, 1.0)) >= 1);
}

TEST_CASE("the same run gives the same resamples") {
  Random random(6);
  const std::vector<double> durations = draw_durations(random, draw_vices(random), 50);
  const Resamples one(durations, 3), two(durations, 3);
  for (const size_t index : {size_t{0}, Resamples::kCount - 1}) {
    const auto first = one.weights(Over::typical, index),
               second = two.weights(Over::typical, index);
    CHECK(std::vector<float>(first.begin(), first.end()) ==
          std::vector<float>(second.begin(), second.end()));
  }
}

TEST_CASE("a run compared with itself does not differ at all") {
  Random random(8);
  const std::vector<double> durations = draw_durations(random, draw_vices(random), 60);
  const MeasureChange pace =
      compare_durations(durations, Resamples(durations, 1), durations, Resamples(durations, 1));
  CHECK(pace.typical.change() == 0);
  CHECK(pace.typical.chance == 1);
  CHECK_FALSE(regressed(pace, 0.0001));
}

TEST_CASE("the gate sees stalls that only some iterations have") {
  Random random(9);
  const Vices calm{0.01, 0, 0, 0, 1}, stalling{0.01, 0, 0, 0.15, 8};
  const Pair pair{draw_durations(random, calm, 300), draw_durations(random, stalling, 300)};
  const MeasureChange pace = pair.pace();
  CHECK(std::fabs(pace.typical.change()) < 0.02 * pace.typical.a);
  CHECK(pace.mean.change() > 0.2 * pace.mean.a);
  CHECK(regressed(pace, 0.05));
}

TEST_CASE("one outlier is no regression") {
  Random random(10);
  const Vices calm{0.01, 0, 0, 0, 1};
  Pair pair{draw_durations(random, calm, 50), draw_durations(random, calm, 50)};
  pair.b[20] *= 100;
  CHECK_FALSE(regressed(pair.pace(), 0.05));
}

TEST_CASE("runs too short or too noisy for a limit are too coarse for it, whatever their change") {
  Random random(11);
  const Vices noisy{0.05, 0, 0, 0, 1};
  for (const double slower : {0.0, 0.3}) {
    const auto pair_of = [&](size_t count) {
      return Pair{draw_durations(random, noisy, count),
                  draw_durations(random, noisy, count, 30e6 * (1 + slower))};
    };
    CHECK(too_coarse(pair_of(10).pace(), 0.02));
    CHECK_FALSE(too_coarse(pair_of(400).pace(), 0.02));
  }
}

TEST_CASE("a run that is faster beyond chance passes a gate, however wide the interval") {
  Random random(11);
  const Vices noisy{0.05, 0, 0, 0, 1};
  const Pair pair{draw_durations(random, noisy, 10), draw_durations(random, noisy, 10, 21e6)};
  const MeasureChange pace = pair.pace();
  const double limit = 0.02 * pace.typical.a;
  REQUIRE(pace.typical.high < limit);
  REQUIRE(pace.typical.high - pace.typical.change() > limit);
  CHECK_FALSE(too_coarse(pace, 0.02));
}

TEST_CASE("a ratio of sums has values whose mean it is, and what is not known does not count") {
  const std::vector<double> busy{5, 30, 0, 10}, wall{10, 40, 0, 10},
      values = ratio_values(busy, wall);
  CHECK(std::accumulate(values.begin(), values.end(), 0.0) / 4 == Approx(45.0 / 60));
  CHECK(values[2] == Approx(45.0 / 60));
  CHECK(values[0] < values[1]);
  CHECK(ratio_values(std::vector<double>{1, 2}, std::vector<double>{0, 0}) ==
        std::vector<double>{0, 0});
}

TEST_CASE("two iterations say nothing, however far apart") {
  const Pair pair{{100, 101}, {200, 201}};
  CHECK_FALSE(pair.pace().typical.tested);
  CHECK_FALSE(regressed(pair.pace(), 0.05));
}
