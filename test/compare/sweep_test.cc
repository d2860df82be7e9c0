// Runs in several configurations beside each other.
#include "analysis/compare/sweep.h"

#include <algorithm>
#include <cmath>

#include "test/compare/made_up_runs.h"
#include "test/support/catch.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

// A run of `ms` per iteration; no pattern, no parts.
RunProfile made_up(const std::string& label, double ms, double batch, double watts = 0) {
  Random random(std::hash<std::string>{}(label) % 1000 * 1'000'003);
  RunProfile run;
  run.label = label;
  run.gpu = "Made-up GPU";
  run.devices = 1;
  run.batch = batch;
  run.iterations = 60;
  Measured& iteration = run[Measure::iteration];
  iteration.known = true;
  iteration.mean = iteration.typical = ms * 1e6;
  iteration.values = draw_durations(random, {0.01, 0, 0, 0, 1}, 60, ms * 1e6);
  run.resamples = Resamples(iteration.values, 1);
  if (watts > 0) {
    run[Measure::power] = {watts * 1e3, watts * 1e3, true, {}};
    run[Measure::energy] = {watts * ms, watts * ms, true, {}};
  }
  return run;
}

bool says(const Sweep& sweep, const std::string& words) {
  return std::any_of(sweep.findings.begin(), sweep.findings.end(), [&](const std::string& finding) {
    return finding.find(words) != std::string::npos;
  });
}

Cell cell(const Table& table, size_t row, const std::string& column) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const Column& c) { return c.name == column; });
  REQUIRE(found != table.columns.end());
  return table.rows[row][static_cast<size_t>(found - table.columns.begin())];
}

}  // namespace

TEST_CASE("a sweep finds what was varied, and orders numbers as numbers") {
  std::vector<RunProfile> runs{made_up("b128", 20, 128), made_up("b32", 8, 32),
                               made_up("b64", 12, 64)};
  const Sweep by_batch = sweep_runs(runs, {});
  CHECK(by_batch.by == "batch");
  CHECK(by_batch.points[0].value == "32");
  CHECK(by_batch.points[2].value == "128");
  for (RunProfile& run : runs) run.batch = 0;
  CHECK(sweep_runs(runs, {}).by == "run");
  runs[1].tags = {{"lr", "0.1"}};
  runs[0].tags = {{"lr", "0.3"}};
  CHECK(sweep_runs(runs, {}).by == "tag:lr");
  runs[2].gpu = "Another GPU";
  CHECK(sweep_runs(runs, {}).by == "gpu");
}

TEST_CASE("best by time, by energy and by cost are named, with what each costs in the others") {
  std::vector<RunProfile> runs{made_up("old", 40, 64, 100), made_up("new", 10, 64, 700)};
  runs[0].gpu = "Old GPU";
  runs[1].gpu = "New GPU";
  const Sweep sweep = sweep_runs(runs, {"gpu", {{"old", 1}, {"new", 3}}});
  CHECK(sweep.points[1].items_per_s == Approx(6400));
  CHECK(sweep.points[0].energy_per_item_mj == Approx(100 * 40 / 64.0));
  CHECK(sweep.points[0].cost == Approx(1 / 3600.0 / 1600 * 1e6));
  CHECK(says(sweep, "By time: New GPU is fastest (6,400 items/s, 4.00 times the next, Old GPU)"));
  CHECK(says(sweep,
             "By energy: Old GPU is best (62.5 mJ per item); New GPU is 75.0 % faster and takes "
             "75.0 % more"));
  CHECK(says(sweep, "By cost: New GPU is best"));
}

TEST_CASE("configurations of the same value are told apart by their runs") {
  const std::vector<RunProfile> runs{made_up("b64", 10, 64), made_up("b128", 12, 128)};
  CHECK(says(sweep_runs(runs, {"gpu", {}}), "By time: Made-up GPU (b128) is fastest"));
}

TEST_CASE("a GPU without a name is called by its run") {
  std::vector<RunProfile> runs{made_up("here", 10, 64), made_up("there", 20, 64)};
  runs[0].gpu.clear();
  runs[0].on_gpu = true;
  CHECK(says(sweep_runs(runs, {"gpu", {}}), "By time: GPU (here) is fastest"));
}

TEST_CASE("runs that do not differ by more than chance are no winner and loser") {
  const std::vector<RunProfile> runs{made_up("one", 20, 64), made_up("two", 20.01, 64)};
  CHECK(says(sweep_runs(runs, {"tag:none", {}}), "do not differ by more than chance"));
}

TEST_CASE("energy that does not differ by more than chance is no better") {
  std::vector<RunProfile> runs{made_up("frugal", 10, 64, 300), made_up("fast", 8, 64, 400)};
  Random random(3);
  for (RunProfile& run : runs) {
    Measured& energy = run[Measure::energy];
    energy.values = draw_durations(random, {0.3, 0, 0, 0, 1}, 20, energy.mean);
    run.stretches = Resamples(energy.values, 1);
  }
  CHECK(says(sweep_runs(runs, {"tag:none", {}}), "is best (46.9 mJ per item, no better than"));
  for (RunProfile& run : runs) run[Measure::energy].values.clear();
  CHECK_FALSE(says(sweep_runs(runs, {"tag:none", {}}), "no better than"));
}

TEST_CASE(
    "a batch that brings no more items per second is called saturated, and the fixed part is "
    "told") {
  const std::vector<RunProfile> saturated{made_up("b64", 64, 64), made_up("b128", 127, 128)};
  CHECK(says(sweep_runs(saturated, {}), "saturated"));
  const std::vector<RunProfile> growing{made_up("b64", 10, 64), made_up("b128", 11, 128)};
  CHECK(says(sweep_runs(growing, {}), "try a larger batch"));
  const std::vector<RunProfile> linear{made_up("b32", 5 + 3.2, 32), made_up("b64", 5 + 6.4, 64),
                                       made_up("b128", 5 + 12.8, 128)};
  CHECK(says(sweep_runs(linear, {}), "about 5.00 ms whatever its batch, and 100 us per item"));
}

TEST_CASE("what each further GPU adds is told of a sweep over their number") {
  std::vector<RunProfile> runs{made_up("g1", 20, 64), made_up("g4", 20, 192)};
  runs[0].tags = {{"gpus", "1"}};
  runs[1].tags = {{"gpus", "4"}};
  CHECK(says(sweep_runs(runs, {"tag:gpus", {}}), "an efficiency of 75.0 %"));
  CHECK(says(sweep_runs(runs, {"tag:GPUS", {}}), "an efficiency of 75.0 %"));
}

TEST_CASE(
    "figures that a run lacks are empty cells, and columns that none has are not shown to people") {
  const std::vector<RunProfile> runs{made_up("b64", 10, 64, 300), made_up("b128", 20, 128)};
  const Sweep sweep = sweep_runs(runs, {});
  const Table whole = sweep_table(sweep, false), people = sweep_table(sweep, true);
  CHECK(std::get<double>(cell(whole, 0, "power_mw")) == 300'000);
  CHECK(std::holds_alternative<NotAvailable>(cell(whole, 1, "power_mw")));
  CHECK(std::holds_alternative<NotAvailable>(cell(whole, 0, "cost")));
  CHECK(std::none_of(people.columns.begin(), people.columns.end(),
                     [](const Column& c) { return c.name == "cost"; }));
}

TEST_CASE("a run without iterations stays in the table and out of the ranking") {
  std::vector<RunProfile> runs{made_up("a", 10, 64), made_up("b", 12, 64), RunProfile{}};
  runs[2].label = "c";
  const Sweep sweep = sweep_runs(runs, {"tag:x", {}});
  CHECK(std::isnan(sweep.points[2].time_ns));
  CHECK(sweep_table(sweep, false).rows.size() == 3);
  CHECK_FALSE(sweep.per_item);
  CHECK(says(sweep, "iterations/s"));
}
