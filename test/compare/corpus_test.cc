// Recorded traces against themselves, and against themselves with one kernel made slower.
#include <algorithm>
#include <cstdio>

#include "analysis/compare/gate.h"
#include "analysis/iterations/mine.h"
#include "test/support/catch.h"
#include "test/support/truth.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

RunProfile profile(const Trace& trace, const char* label) {
  const Mined mined = mine(trace);
  const Figures figures = compute_figures(trace, mined);
  return profile_run(trace, figures, figures.main(), {label, label, 0});
}

std::string changed_ops(const Comparison& of) {
  std::string text;
  for (const OpChange& op : of.ops) {
    if (op.verdict != OpVerdict::same)
      text += std::string(verdict_name(op.verdict)) + " " + op.name_b + ";";
  }
  return text;
}

// The kernel with most time per iteration among those that hardly vary and that the clock can
// measure: of what 20 % more can be told from chance.
std::string steady_kernel(const RunProfile& run) {
  const OpTally* best = nullptr;
  double most = 0;
  for (const OpTally& op : run.pattern.ops) {
    const auto [least, longest] = std::minmax_element(op.ns.begin(), op.ns.end());
    const bool steady = *least > 20 * run.clock_ns && *longest < 1.05 * *least &&
                        op.category != "memcpy" && op.category != "memset";
    if (steady && *least > most) best = &op, most = *least;
  }
  return best == nullptr ? "" : best->name;
}

}  // namespace

TEST_CASE("two ranks of a recorded job, one step each, are compared whole") {
  if (corpus_folder().empty()) {
    std::puts("no DEEPPROF_CORPUS: recorded traces are left out");
    return;
  }
  const RunProfile a = profile(read_corpus_truth("param-dlrm-r0").trace, "r0"),
                   b = profile(read_corpus_truth("param-dlrm-r1").trace, "r1");
  const Comparison of = compare_runs(a, b);
  CHECK(of.whole_run);
  REQUIRE(of.pace.known);
  CHECK_FALSE(of.pace.typical.tested);
  CHECK_FALSE(regressed(of.pace, 0.001));
  CHECK(of.changes.empty());
  double parts = 0;
  for (size_t i = 0; i < kMeasures; ++i) {
    if (measure_info(static_cast<Measure>(i)).family == Family::part)
      parts += of.measures[i].typical.b;
  }
  CHECK(of[Measure::compute].typical.b > 0);
  CHECK(parts == Approx(of.pace.typical.b).epsilon(1e-6));
}

TEST_CASE(
    "recorded traces do not differ from themselves, and a slower kernel in one is named alone") {
  if (corpus_folder().empty()) {
    std::puts("no DEEPPROF_CORPUS: recorded traces are left out");
    return;
  }
  int compared = 0, planted = 0;
  for (const std::string& name : corpus_names()) {
    LabelledTrace recorded = read_corpus_truth(name);
    const RunProfile run = profile(recorded.trace, "recorded");
    if (run.iterations < Resamples::kFewest) continue;
    INFO(name);
    ++compared;
    const Comparison same = compare_runs(run, run);
    CHECK(changed_ops(same).empty());
    CHECK(same.changes.empty());
    CHECK_FALSE(regressed(same.pace, 0.001));

    const std::string slow = steady_kernel(run);
    if (slow.empty() || run.iterations < 4) continue;
    ++planted;
    Trace& changed = recorded.trace;
    for (Op& op : changed.ops) {
      if (op.kind == Kind::kernel && changed.names[op.name] == slow)
        op.duration_ns += op.duration_ns / 5;
    }
    const Comparison of = compare_runs(run, profile(changed, "changed"));
    INFO(slow);
    CHECK(changed_ops(of) == "slower " + slow + ";");
  }
  std::printf("%d recorded traces compared with themselves, %d with a slower kernel\n", compared,
              planted);
  CHECK(compared >= 5);
  CHECK(planted >= 3);
}
