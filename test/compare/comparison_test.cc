// Pairs of made-up runs with known changes: compare names the change and nothing else.
#include "analysis/compare/gate.h"

#include <algorithm>

#include "analysis/compare/comparison_table.h"
#include "analysis/iterations/mine.h"
#include "test/compare/made_up_job.h"
#include "test/support/catch.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

RunProfile profile(const Trace& trace, const std::string& label, double batch = 0) {
  const Mined mined = mine(trace);
  const Figures figures = compute_figures(trace, mined);
  return profile_run(trace, figures, figures.main(), {label, label + ".dprof", batch});
}
RunProfile profile(const JobPlan& plan, const std::string& label = "run") {
  return profile(MadeUpJob(plan).run(), label);
}

JobPlan seeded(uint64_t seed, JobPlan plan = {}) {
  plan.seed = seed;
  return plan;
}

// "slower gemm_qkv; added gelu": what changed of the GPU ops.
std::string ops_named(const Comparison& of) {
  std::string text;
  for (const OpChange& op : of.ops) {
    if (op.verdict == OpVerdict::same) continue;
    const std::string& name = op.name_b.empty() ? op.name_a : op.name_b;
    const size_t from = name.rfind("void ", 0) == 0 ? 5 : 0;
    text += (text.empty() ? "" : "; ") + std::string(verdict_name(op.verdict)) + " " +
            name.substr(from, name.find('<') - from);
  }
  return text;
}
std::string parts_named(const Comparison& of) {
  std::string text;
  for (size_t i = 0; i < kMeasures; ++i) {
    if (measure_info(static_cast<Measure>(i)).family == Family::part &&
        of.measures[i].significant())
      text += (text.empty() ? "" : "; ") + std::string(measure_info(static_cast<Measure>(i)).key);
  }
  return text;
}
std::string calls_named(const Comparison& of) {
  std::string text;
  for (const CallChange& call : of.calls) {
    if (call.significant) text += (text.empty() ? "" : "; ") + call.name;
  }
  return text;
}
std::string all_named(const Comparison& of) {
  return ops_named(of) + " | " + parts_named(of) + " | " + calls_named(of);
}

Comparison compare(const JobPlan& a, const JobPlan& b) {
  return compare_runs(profile(a, "a"), profile(b, "b"));
}

}  // namespace

TEST_CASE("noise alone names nothing, whatever the numbers of iterations") {
  JobPlan longer = seeded(2);
  for (const int iterations : {12, 40, 130}) {
    longer.iterations = iterations;
    for (uint64_t seed = 10; seed < 16; ++seed) {
      const Comparison of = compare(seeded(seed), seeded(seed + 50, longer));
      INFO(iterations << " iterations, seed " << seed);
      CHECK(all_named(of) == " |  | ");
      CHECK(of.changes.empty());
      CHECK_FALSE(regressed(of.pace, 0.05));
    }
  }
}

TEST_CASE("one kernel that takes 20 % longer is named, and nothing else") {
  JobPlan plan = seeded(4);
  plan.slow = "gemm_wgrad";
  const Comparison of = compare(seeded(3), plan);
  CHECK(all_named(of) == "slower gemm_wgrad | compute_ns | ");
  REQUIRE_FALSE(of.ops.empty());
  CHECK(of.ops[0].places == 4);
  CHECK(of.ops[0].change_ns() / of.ops[0].ns_a == Approx(0.2).margin(0.02));
  REQUIRE(of.changes.size() == 1);
  CHECK(of.changes[0].sentence.find("gemm_wgrad") != std::string::npos);
}

TEST_CASE("a small kernel is named where the iteration as a whole does not show it") {
  JobPlan plan = seeded(4);
  plan.slow = "softmax_loss";
  const Comparison of = compare(seeded(3), plan);
  CHECK(all_named(of) == "slower softmax_loss |  | ");
  CHECK(of.changes.size() == 1);
}

TEST_CASE("a removed and an added kernel are named") {
  JobPlan without = seeded(5), with = seeded(6);
  without.removed = "gelu";
  with.added = "dropout";
  CHECK(all_named(compare(seeded(7), without)) == "removed gelu | compute_ns | ");
  CHECK(all_named(compare(without, seeded(7))) == "added gelu | compute_ns | ");
  CHECK(all_named(compare(seeded(8), with)) == "added dropout | compute_ns | ");
}

TEST_CASE("a kernel that took another's place is one change") {
  JobPlan other = seeded(5);
  other.added = "gelu_tanh";
  JobPlan one = seeded(6);
  one.added = "gelu_erf";
  CHECK(ops_named(compare(one, other)) == "replaced gelu_tanh");
  // Names that are the same when shortened are told apart.
  one.added = "void gelu_kernel<Functor<float>, Loader<4> >(int)";
  other.added = "void gelu_kernel<Functor<float>, Loader<8> >(int)";
  const Comparison of = compare(one, other);
  REQUIRE(ops_named(of).find("replaced") == 0);
  REQUIRE_FALSE(of.changes.empty());
  INFO(of.changes[0].sentence);
  CHECK(of.changes[0].sentence.find("[") != std::string::npos);
}

TEST_CASE("an added synchronize is named with the idle time it causes") {
  JobPlan plan = seeded(9);
  plan.extra_sync = true;
  const Comparison of = compare(seeded(8), plan);
  CHECK(all_named(of) == " | host_blocked_ns | cudaDeviceSynchronize");
  REQUIRE(of.changes.size() == 2);
  CHECK(of.changes[0].key == "host_blocked_ns");
  CHECK(of.changes[0].ns == Approx(150'000).epsilon(0.1));
}

TEST_CASE("a longer wait for input is idle time of the host, before the input copy") {
  JobPlan plan = seeded(11);
  plan.input_us = 700;
  const Comparison of = compare(seeded(10), plan);
  CHECK(all_named(of) == " | host_outside_ns | ");
  REQUIRE(of.changes.size() == 1);
  CHECK(of.changes[0].sentence.find("before copy to the device") != std::string::npos);
  CHECK(regressed(of.pace, 0.05));
}

TEST_CASE("parts of the typical iteration add up to it, and so do their changes") {
  JobPlan plan = seeded(13);
  plan.stall_share = 0.1;
  plan.slow = "flash_bwd";
  const Comparison of = compare(seeded(12), plan);
  Difference typical, mean;
  for (size_t i = 0; i < kMeasures; ++i) {
    if (measure_info(static_cast<Measure>(i)).family != Family::part) continue;
    typical.a += of.measures[i].typical.a;
    typical.b += of.measures[i].typical.b;
    mean.b += of.measures[i].mean.b;
  }
  CHECK(typical.a == Approx(of[Measure::iteration].typical.a).epsilon(1e-6));
  CHECK(typical.b == Approx(of[Measure::iteration].typical.b).epsilon(1e-6));
  CHECK(mean.b == Approx(of[Measure::iteration].mean.b).epsilon(1e-6));
}

TEST_CASE("who recorded a run makes no difference: mangled names, a clock of microseconds") {
  JobPlan other = seeded(15);
  other.mangled = true;
  other.clock_ns = 1000;
  const Comparison of = compare(seeded(14), other);
  CHECK(all_named(of) == " |  | ");
}

TEST_CASE("a pattern that begins elsewhere in the loop is turned") {
  RunProfile a = profile(seeded(16), "a"), b = profile(seeded(17), "b");
  std::rotate(b.pattern.positions.begin(), b.pattern.positions.begin() + 14,
              b.pattern.positions.end());
  const auto pairs = align_patterns(a.pattern, b.pattern);
  CHECK(pairs.size() == a.pattern.positions.size());
  CHECK(ops_named(compare_runs(a, b)).empty());
}

TEST_CASE("where the batches differ the gate looks at the time per item") {
  JobPlan longer = seeded(19);
  longer.slow = "flash_bwd";
  longer.slow_factor = 2.5;  // more time for twice the items
  const RunProfile a = profile(MadeUpJob(seeded(18)).run(), "a", 64),
                   b = profile(MadeUpJob(longer).run(), "b", 128);
  const Comparison of = compare_runs(a, b);
  CHECK(of.per_item);
  CHECK(of[Measure::iteration].typical.change() > 0.2 * of[Measure::iteration].typical.a);
  CHECK(of.pace.typical.change() < 0);
  CHECK_FALSE(regressed(of.pace, 0.05));
}

TEST_CASE("no figure falls by more than all of it, however wide its interval") {
  JobPlan stalling = seeded(25), steady = seeded(26);
  stalling.iterations = steady.iterations = 12;
  stalling.stall_share = 0.1;
  const Comparison of = compare(stalling, steady);
  for (const MeasureChange& change : of.measures) {
    if (!change.known) continue;
    CHECK(change.typical.low >= -change.typical.a);
    CHECK(change.mean.low >= -change.mean.a);
  }
  CHECK(of.pace.mean.low >= -of.pace.mean.a);
}

TEST_CASE("runs that have hardly an op in common are said to, before what differs") {
  JobPlan other = seeded(28);
  other.prefix = "rival_";
  const RunProfile a = profile(seeded(27), "a"), b = profile(other, "b"),
                   c = profile(seeded(28), "c");
  const std::string unlike = changes_text(a, b, compare_runs(a, b), 100),
                    alike = changes_text(a, c, compare_runs(a, c), 100);
  INFO(unlike);
  const size_t note = unlike.find("of the GPU time is in ops of the same name");
  CHECK(note < unlike.find(" 1 "));
  CHECK(alike.find("ops of the same name") == std::string::npos);
}

TEST_CASE("the headline says where the change is not beyond chance") {
  const RunProfile a = profile(seeded(27), "a"), b = profile(seeded(28), "b");
  CHECK(pace_text(a, b, compare_runs(a, b)).find(", not beyond chance (99 % interval") !=
        std::string::npos);
  JobPlan slow = seeded(28);
  slow.slow = "flash_bwd";
  const RunProfile c = profile(slow, "c");
  CHECK(pace_text(a, c, compare_runs(a, c)).find("chance") == std::string::npos);
}

TEST_CASE("what differs in some iterations only is told of the mean, in the headline too") {
  JobPlan plan = seeded(34);
  plan.iterations = 120;
  const RunProfile a = profile(plan, "a");
  plan.seed = 35;
  plan.stall_share = 0.12;
  const RunProfile b = profile(plan, "b");
  const Comparison of = compare_runs(a, b);
  CHECK_FALSE(of[Measure::iteration].typical_differs);
  CHECK(of[Measure::iteration].mean_differs);
  const std::string text = changes_text(a, b, of, 200);
  INFO(text);
  CHECK(text.find("% mean time per iteration") != std::string::npos);
  const Table table = measures_table(a, b, of, Names::short_form);
  REQUIRE(table.rows.size() > 1);
  CHECK(std::get<std::string>(table.rows[0].back()) == "same");
  CHECK(std::get<std::string>(table.rows[1][0]) == "  mean of all");
  CHECK(std::get<std::string>(table.rows[1].back()) == "differs");
}

TEST_CASE("busy is a share of the time of all iterations together, as in the report") {
  JobPlan plan = seeded(29);
  plan.stall_share = 0.3;
  const Trace trace = MadeUpJob(plan).run();
  const Mined mined = mine(trace);
  const Figures figures = compute_figures(trace, mined);
  const RunProfile run = profile_run(trace, figures, figures.main(), {"run", "run.dprof", 0});
  const Account& basis = figures.main().basis;
  CHECK(run[Measure::busy].mean ==
        Approx(static_cast<double>(basis.busy_ns()) / static_cast<double>(basis.recorded_ns())));
  CHECK(run[Measure::busy].typical > run[Measure::busy].mean + 0.05);
}

TEST_CASE("a run without iterations compares to nothing, and says so") {
  JobPlan once = seeded(21);
  once.iterations = 1;
  const Comparison of = compare(seeded(20), once);
  CHECK_FALSE(of.pace.known);
  CHECK(of.ops.empty());
  CHECK_FALSE(of.notes.empty());
  CHECK_FALSE(regressed(of.pace, 0.05));
}

TEST_CASE("tables have a row for every figure, and people see only what changed") {
  JobPlan plan = seeded(23);
  plan.slow = "flash_fwd";
  const RunProfile a = profile(seeded(22), "old"), b = profile(plan, "new");
  const Comparison of = compare_runs(a, b);
  CHECK(measures_table(a, b, of, Names::raw).rows.size() == 2 * kMeasures + 1);  // iterations/s
  CHECK(ops_table(a, b, of, Names::short_form).rows.size() == 1);
  CHECK(ops_table(a, b, of, Names::raw).rows.size() > 10);
  CHECK(pace_text(a, b, of).find("new against old: +") == 0);
}

TEST_CASE(
    "a large change whose interval leaves out 0 is unclear where few iterations may have made it, "
    "and never same") {
  int unclear = 0, beside_the_mean = 0;
  for (uint64_t seed = 30; seed < 50; ++seed) {
    JobPlan few = seeded(seed), slower = seeded(seed + 100);
    few.iterations = slower.iterations = 5;
    few.jitter = slower.jitter = 0.2;
    slower.input_us = 2 * few.input_us;
    const RunProfile a = profile(few, "few"), b = profile(slower, "slower");
    const Comparison of = compare_runs(a, b);
    const MeasureChange& iteration = of[Measure::iteration];
    INFO("seed " << seed);
    CHECK_FALSE((iteration.unclear && iteration.typical_differs));
    for (const MeasureChange& change : of.measures) {
      if (!change.mean_differs || change.typical_differs || !change.typical.beyond_zero() ||
          change.small)
        continue;
      ++beside_the_mean;
      CHECK(change.unclear);
    }
    if (!iteration.unclear) continue;
    ++unclear;
    CHECK(iteration.typical.beyond_zero());
    CHECK(std::get<std::string>(measures_table(a, b, of, Names::short_form).rows[0].back()) ==
          "unclear");
    CHECK(changes_text(a, b, of, 100).find("may be chance, more iterations would tell: ") !=
          std::string::npos);
  }
  CHECK(unclear > 0);
  CHECK(beside_the_mean > 0);
}

TEST_CASE("a change beyond chance that is under 1 % is called small, not the same") {
  JobPlan plan = seeded(80), slower = seeded(81);
  plan.jitter = slower.jitter = 0.0005;
  slower.slow = "flash_bwd";
  slower.slow_factor = 1.01;
  const RunProfile a = profile(plan, "a"), b = profile(slower, "b");
  const Comparison of = compare_runs(a, b);
  const MeasureChange& compute = of[Measure::compute];
  REQUIRE(compute.typical.change() > 0);
  REQUIRE(compute.typical.change() < kLeastChange * of[Measure::iteration].typical.a);
  CHECK(compute.small);
  CHECK_FALSE(compute.significant());
  bool is_said = false;
  for (const auto& row : measures_table(a, b, of, Names::short_form).rows)
    is_said = is_said || (std::get<std::string>(row[0]) == measure_info(Measure::compute).words &&
                          std::get<std::string>(row.back()) == "small");
  CHECK(is_said);
  REQUIRE(of.changes.empty());
  CHECK(changes_text(a, b, of, 100).find("What differs by more than chance differs by under 1 %") !=
        std::string::npos);
}

TEST_CASE(
    "a figure that is 0 in every iteration of one run is new in the other, and never the same") {
  JobPlan few = seeded(60);
  few.iterations = 6;
  const RunProfile a = profile(few, "without");
  RunProfile b = profile(few, "with");
  REQUIRE(a[Measure::memset].mean == 0);
  // Five iterations are counted; only two of them fill, and by unlike amounts.
  Measured& fills = b[Measure::memset];
  fills.values = {0, 1e6, 0, 0, 9e6};
  fills.typical = fills.mean = 2e6;
  const auto verdict = [](const RunProfile& first, const RunProfile& second) {
    const Comparison of = compare_runs(first, second);
    CHECK_FALSE(of[Measure::memset].significant());
    CHECK(changes_text(first, second, of, 100).find("in one run only") != std::string::npos);
    for (const auto& row : measures_table(first, second, of, Names::short_form).rows) {
      if (std::get<std::string>(row[0]) == measure_info(Measure::memset).words)
        return std::get<std::string>(row.back());
    }
    return std::string("no row");
  };
  CHECK(verdict(a, b) == "new");
  CHECK(verdict(b, a) == "gone");
}
