// What a profile keeps of a run: what GPUs and host used, and runs without a GPU.
#include "analysis/compare/run_profile.h"

#include <algorithm>

#include "analysis/compare/comparison_table.h"
#include "analysis/compare/gate.h"
#include "analysis/iterations/mine.h"
#include "libdeepprof/event/metric.h"
#include "test/compare/made_up_job.h"
#include "test/support/catch.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

void sample(Trace& trace, Metric metric, uint32_t device, int64_t from_ns, int64_t to_ns,
            int64_t every_ns, double value) {
  const NameId name = trace.names.intern(metric_name(metric));
  for (int64_t at = from_ns; at <= to_ns; at += every_ns)
    trace.samples.push_back({at, value, name, device});
}

RunProfile profile(const Trace& trace) {
  const Mined mined = mine(trace);
  const Figures figures = compute_figures(trace, mined);
  return profile_run(trace, figures, figures.main(), {"run", "run.dprof", 64});
}

// A process that computes without a GPU: `count` steps of `ms`.
Trace host_job(int count, double ms) {
  Trace trace;
  const NameId step = trace.names.intern(metric_name(Metric::optimizer_step));
  int64_t now = 1'000'000'000;
  for (int i = 0; i < count; ++i)
    trace.samples.push_back({now += static_cast<int64_t>(ms * 1e6), 1e5, step, 0});
  sample(trace, Metric::process_cpu, kNone, 1'000'000'000, now, 100'000'000, 1.9);
  trace.finish();
  return trace;
}

}  // namespace

TEST_CASE("energy, power and memory of the iterations come from the samples") {
  JobPlan plan;
  plan.jitter = 0;
  Trace trace = MadeUpJob(plan).run();
  const int64_t end = trace.ops.back().end_ns() + 100'000'000;
  sample(trace, Metric::gpu_power, 0, 0, end, 10'000'000, 300'000);
  sample(trace, Metric::gpu_memory_used, 0, 0, end, 10'000'000, 4e9);
  sample(trace, Metric::process_cpu, kNone, 0, end, 10'000'000, 1.5);
  const RunProfile run = profile(trace);
  REQUIRE(run[Measure::energy].known);
  CHECK(run[Measure::power].mean == Approx(300'000));
  CHECK(run[Measure::energy].mean ==
        Approx(300'000 * run[Measure::iteration].mean / 1e9).epsilon(0.001));
  CHECK(run[Measure::memory].mean == Approx(4e9));
  CHECK(run[Measure::process_cpu].mean == Approx(1.5));
  CHECK_FALSE(run[Measure::temperature].known);
}

TEST_CASE("what was sampled in fewer than half of the iterations is not the run's") {
  const auto energy_known = [](double share) {
    JobPlan plan;
    plan.jitter = 0;
    Trace trace = MadeUpJob(plan).run();
    const auto end = static_cast<int64_t>(share * static_cast<double>(trace.ops.back().end_ns()));
    sample(trace, Metric::gpu_power, 0, 0, end, 10'000'000, 300'000);
    return profile(trace)[Measure::energy].known;
  };
  CHECK(energy_known(0.7));
  CHECK_FALSE(energy_known(0.3));
}

TEST_CASE("power that differs is named, noise of it is not, and a run of two seconds cannot tell") {
  const auto run = [](uint64_t seed, int iterations, double watts) {
    JobPlan plan;
    plan.seed = seed;
    plan.iterations = iterations;
    plan.input_us = 20'000;
    Trace trace = MadeUpJob(plan).run();
    Random random(seed);
    const NameId power = trace.names.intern(metric_name(Metric::gpu_power));
    for (int64_t at = 0; at < trace.ops.back().end_ns() + 100'000'000; at += 100'000'000)
      trace.samples.push_back({at, 1000 * watts * (1 + 0.05 * draw_normal(random)), power, 0});
    return profile(trace);
  };
  const RunProfile a = run(1, 400, 300), b = run(2, 500, 300), hot = run(3, 450, 330);
  CHECK_FALSE(compare_runs(a, b)[Measure::power].significant());
  CHECK(compare_runs(a, b)[Measure::power].mean.tested);
  const Comparison of = compare_runs(a, hot);
  CHECK(of[Measure::power].significant());
  CHECK(of[Measure::energy].significant());
  REQUIRE(of.changes.size() == 1);
  CHECK(of.changes[0].sentence.find("GPU and host: power, mean +") == 0);
  CHECK(of.changes[0].sentence.find("energy +") != std::string::npos);
  const Comparison unsure = compare_runs(run(4, 80, 300), hot);
  CHECK(unsure[Measure::power].known);
  CHECK_FALSE(unsure[Measure::power].mean.tested);
}

TEST_CASE("where the batches differ energy is compared by item, and tables have it, too") {
  const auto run = [](uint64_t seed, double batch, double watts) {
    JobPlan plan;
    plan.seed = seed;
    plan.iterations = 450;
    plan.input_us = 20'000;
    Trace trace = MadeUpJob(plan).run();
    Random random(seed);
    const NameId power = trace.names.intern(metric_name(Metric::gpu_power));
    for (int64_t at = 0; at < trace.ops.back().end_ns() + 100'000'000; at += 100'000'000)
      trace.samples.push_back({at, 1000 * watts * (1 + 0.02 * draw_normal(random)), power, 0});
    RunProfile profiled = profile(trace);
    profiled.batch = batch;
    return profiled;
  };
  const auto has_row = [](const Table& table, const std::string& word) {
    return std::any_of(table.rows.begin(), table.rows.end(), [&](const std::vector<Cell>& row) {
      return std::any_of(row.begin(), row.end(), [&](const Cell& cell) {
        const auto* text = std::get_if<std::string>(&cell);
        return text != nullptr && *text == word;
      });
    });
  };
  const RunProfile small = run(1, 64, 200), large = run(2, 128, 400), thrifty = run(3, 128, 250);
  const Comparison alike = compare_runs(small, large), less = compare_runs(small, thrifty);
  REQUIRE(alike.item_energy.known);
  CHECK(alike[Measure::energy].significant());  // twice the items
  CHECK_FALSE(alike.item_energy.significant());
  CHECK(less.item_energy.significant());
  CHECK(less.item_energy.mean.b == Approx(less[Measure::energy].mean.b / 128));
  CHECK(less.item_energy.mean.change() / less.item_energy.mean.a == Approx(-0.375).margin(0.03));
  bool is_said = false;
  for (const Change& change : less.changes)
    is_said = is_said || change.sentence.find("energy per item -") != std::string::npos;
  CHECK(is_said);
  CHECK(has_row(measures_table(small, thrifty, less, Names::short_form), "energy per item"));
  CHECK(has_row(measures_table(small, thrifty, less, Names::raw), "item_energy_mj"));
  CHECK(has_row(measures_table(small, thrifty, less, Names::raw), "items_per_s"));
  RunProfile unknown = large;
  unknown.batch = 0;
  CHECK_FALSE(compare_runs(small, unknown).item_energy.known);
}

TEST_CASE("a run without a GPU is compared by the steps that its framework told of") {
  const RunProfile host = profile_host_run(host_job(31, 120), {"cpu", "cpu.dprof", 64});
  CHECK(host.iterations == 30);
  CHECK_FALSE(host.on_gpu);
  CHECK(host[Measure::iteration].mean == Approx(120e6));
  CHECK(host[Measure::process_cpu].mean == Approx(1.9));
  CHECK_FALSE(host[Measure::compute].known);
  const RunProfile gpu = profile(MadeUpJob({}).run());
  const Comparison of = compare_runs(host, gpu);
  CHECK(of.pace.typical.change() < 0);
  CHECK(of.ops.empty());
  CHECK(regressed(compare_runs(gpu, host).pace, 0.05));
}

TEST_CASE("a run without a GPU that told of no steps has no iterations, and says what to do") {
  const RunProfile run = profile_host_run(host_job(0, 1), {"cpu", "cpu.dprof", 0});
  CHECK(run.iterations == 0);
  CHECK(run.doubt.find("--steps") != std::string::npos);
  Trace asked = host_job(0, 1);
  asked.process.facts.emplace_back("step_hook", "1");
  const RunProfile without = profile_host_run(asked, {"cpu", "cpu.dprof", 0});
  CHECK(without.doubt.find("deepprof run") == std::string::npos);
  CHECK(without.doubt.find("they were asked for") != std::string::npos);
}
