#include "analysis/report/device_sections.h"

#include <map>

#include "analysis/iterations/mine.h"
#include "analysis/report/memory_sections.h"
#include "analysis/report/openmetrics.h"
#include "analysis/report/summary.h"
#include "libdeepprof/trace/sample_totals.h"
#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using deepprof::test::TraceBuilder;

namespace {

constexpr int64_t kSecond_ns = 1'000'000'000;

// Twenty iterations of a second each on GPU 0, 200 W by its energy counter; GPU 1 is idle at 20 W
// of sampled power. The process takes one and a half cores.
struct Sampled {
  Sampled() {
    TraceBuilder t(1'000'000);
    for (int64_t at = 0; at < 20'000; at += 1'000) {
      t.launch("cudaMemcpyAsync", at + 1, at + 2)
          .copy(CopyKind::host_to_device, at + 3, at + 10, 4096);
      for (int op = 0; op < 9; ++op) {
        t.launch("cudaLaunchKernel", at + op + 3, at + op + 4);
        t.kernel("kernel_" + std::to_string(op), at + 10 + op * 110, at + 120 + op * 110);
      }
    }
    trace = t.build();
    trace.devices = {{0, "GPU", 108, 80'000'000'000, 8, 0, 2048}};
    const int64_t start_ns = trace.ops.front().start_ns;
    for (int tick = -5; tick < 210; ++tick) {
      const int64_t time_ns = start_ns + tick * kSecond_ns / 10;
      put(time_ns, Metric::gpu_energy, 0, 1'000'000 + tick * 20'000.0);
      put(time_ns, Metric::gpu_utilization, 0, 0.9);
      put(time_ns, Metric::gpu_memory_used, 0, 40e9);
      put(time_ns, Metric::gpu_power, 1, 20'000);
      put(time_ns, Metric::gpu_utilization, 1, 0);
      put(time_ns, Metric::process_cpu, kNone, 1.5);
    }
    trace.finish();
    mined = mine(trace);
    REQUIRE(mined.devices[0].verdict == Verdict::iteration);
    figures = compute_figures(trace, mined);
  }
  void put(int64_t time_ns, Metric metric, uint32_t device, double value) {
    trace.samples.push_back({time_ns, value, trace.names.intern(metric_name(metric)), device});
  }
  void number_from(int64_t first) {
    for (Iteration& iteration : mined.devices[0].iterations) iteration.number += first;
  }
  Trace trace;
  Mined mined;
  Figures figures;
};

size_t column(const Table& table, const std::string& name) {
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].name == name) return c;
  }
  FAIL("no column " << name);
  return 0;
}
double number(const Table& table, size_t row, const std::string& name) {
  return std::get<double>(table.rows[row][column(table, name)]);
}
bool unknown(const Table& table, size_t row, const std::string& name) {
  return std::holds_alternative<NotAvailable>(table.rows[row][column(table, name)]);
}

}  // namespace

TEST_CASE("iterations carry energy, per item too, and the process' CPU") {
  Sampled of;
  // As a hole leaves them: the table shows the run's numbers, which are no indices.
  of.number_from(4'000'000);
  const IterationRows rows(of.figures, Names::raw);
  Table table = rows.table();
  UseColumns(of.trace, 64, Names::raw).add(rows.all(), table);
  REQUIRE(table.rows.size() >= 10);
  for (size_t row = 0; row < table.rows.size(); ++row) {
    const auto duration_ns =
        static_cast<double>(std::get<int64_t>(table.rows[row][column(table, "duration_ns")]));
    CHECK(number(table, row, "energy_mj") == Approx(200'000 * duration_ns / 1e9).epsilon(0.01));
    CHECK(number(table, row, "item_energy_mj") == Approx(number(table, row, "energy_mj") / 64));
    CHECK(number(table, row, "process_cpu_ratio") == Approx(1.5));
    CHECK(unknown(table, row, "sm_clock_mhz"));
  }
}

TEST_CASE("memory that comes once is told in words, with the iteration, and no growth") {
  Sampled of;
  const DeviceFigures& device = of.figures.main();
  uint64_t in_use = 0;
  const auto take = [&](int64_t time_ns, uint64_t address, uint64_t bytes) {
    Allocation step;
    step.time_ns = time_ns;
    step.address = address;
    step.bytes = bytes;
    step.in_use_bytes = in_use += bytes;
    step.kind = AllocationKind::device;
    of.trace.allocations.push_back(step);
  };
  const size_t at = device.counted.size() / 2;
  take(device.counted_windows().front().start_ns - 1, 1, 4'000'000'000);
  take(device.counted_windows()[at].start_ns + kSecond_ns / 2, 2, 1'000'000'000);
  const int64_t number = device.number_of(device.counted[at]);
  of.trace.finish();
  const Table table =
      memory_table(of.trace, compute_figures(of.trace, of.mined), Names::short_form);
  REQUIRE(!table.notes.empty());
  CHECK(table.notes.front() == "GPU 0 device: 1.00 GB more are in use from iteration " +
                                   std::to_string(number) + " on, once: no growth");
}

TEST_CASE("iterations of a trace without samples have the columns that they had") {
  Sampled of;
  of.trace.samples.clear();
  const IterationRows rows(of.figures, Names::raw);
  Table table = rows.table();
  const size_t before = table.columns.size();
  UseColumns(of.trace, 64, Names::raw).add(rows.all(), table);
  CHECK(table.columns.size() == before);
}

TEST_CASE(
    "every sampled GPU has its run, with its own source of energy, and the idle one no "
    "iterations") {
  const Sampled of;
  const Table table = gpu_use_table(of.trace, of.figures, 64, Names::raw);
  const size_t last = table.rows.size() - 1;
  CHECK(std::get<std::string>(table.rows[0][column(table, "part")]) == "run");
  CHECK(number(table, 0, "power_mw") == Approx(200'000).epsilon(0.01));
  CHECK(number(table, 0, "iteration_energy_mj") == Approx(200'000).epsilon(0.02));
  CHECK(std::get<std::string>(table.rows[0][column(table, "energy_source")]) == "energy counter");
  CHECK(std::get<int64_t>(table.rows[last][0]) == 1);
  CHECK(number(table, last, "power_mw") == Approx(20'000));
  CHECK(std::get<std::string>(table.rows[last][column(table, "energy_source")]) ==
        "integral of sampled power");
  CHECK(unknown(table, last, "iterations"));
}

TEST_CASE("the energy of an iteration is the same in the run's row and in that of its training") {
  Sampled of;
  // The sampling begins within the fourth iteration.
  const int64_t from_ns = of.trace.ops.front().start_ns + 36 * kSecond_ns / 10;
  std::erase_if(of.trace.samples, [&](const Sample& sample) { return sample.time_ns < from_ns; });
  const Table table = gpu_use_table(of.trace, of.figures, 0, Names::raw);
  std::map<std::string, double> energy_mj;
  for (size_t row = 0; row < table.rows.size(); ++row) {
    if (std::get<int64_t>(table.rows[row][0]) == 0)
      energy_mj[std::get<std::string>(table.rows[row][column(table, "part")])] =
          number(table, row, "iteration_energy_mj");
  }
  REQUIRE(energy_mj.size() == 2);
  CHECK(energy_mj.begin()->second == Approx(energy_mj.rbegin()->second).epsilon(1e-9));
}

TEST_CASE("the summary has a line for each GPU and for the process, and says whose power it is") {
  const Sampled of;
  SummaryOptions options;
  options.batch = 64;
  const std::string text = summary_text(of.trace, of.figures, options);
  CAPTURE(text);
  for (const char* part :
       {"GPU 0    200 W", "J/iteration", "J/item", "Wh", "util 90.0 % [1]", "40.0 GB of 80.0 GB",
        "GPU 1    not used by the job   20.0 W", "process  CPU 150.0 % of a core",
        "energy counter, integral of sampled power", "whole GPU, whoever uses it"}) {
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(text.find("shorter than") == std::string::npos);
}

TEST_CASE("where samples were let go the figures are those that were counted over the whole run") {
  Sampled of;
  SampleTotals totals;
  for (const Sample& sample : of.trace.samples)
    totals.add(find_metric(of.trace.names[sample.metric])->metric, sample.device, sample.time_ns,
               sample.value);
  of.trace.blobs[std::string(SampleTotals::kBlobKey)] = totals.encode();
  CHECK(summary_text(of.trace, of.figures, {}).find("counted over the whole run") ==
        std::string::npos);
  CHECK(gpu_use_table(of.trace, of.figures, 0, Names::raw).rows.size() == 3);

  const int64_t start_ns = of.trace.ops.front().start_ns;
  std::erase_if(of.trace.samples, [&](const Sample& sample) {
    return sample.time_ns > start_ns + 2 * kSecond_ns &&
           sample.time_ns < start_ns + 19 * kSecond_ns;
  });
  const std::string text = summary_text(of.trace, of.figures, {});
  CAPTURE(text);
  for (const char* part :
       {"DEVICE   counted over the whole run", "GPU 0    200 W", "1.19 Wh   util 90.0 %",
        "GPU 1    not used by the job   20.0 W", "process  CPU 150.0 % of a core"}) {
    CHECK(text.find(part) != std::string::npos);
  }
  const Table table = gpu_use_table(of.trace, of.figures, 64, Names::raw);
  CHECK(std::get<std::string>(table.rows[0][column(table, "part")]) == "whole run");
  CHECK(number(table, 0, "energy_mj") == Approx(200'000 * 21.4));
  CHECK(std::get<std::string>(table.rows[0][column(table, "energy_source")]) == "energy counter");
  const Table host = host_use_table(of.trace, of.figures, Names::raw);
  CHECK(std::get<std::string>(host.rows[0][column(host, "part")]) == "whole run");
  CHECK(number(host, 0, "process_cpu_ratio") == Approx(1.5));
}

TEST_CASE(
    "iterations that follow one another have one row where a filter names them, and columns that "
    "nothing is known of are not "
    "shown to people") {
  Sampled of;
  FigureOptions options;
  options.view.counts = [](const DeviceMined&, size_t iteration) {
    return iteration == 5 || iteration == 6 || iteration == 12;
  };
  const Figures chosen = compute_figures(of.trace, of.mined, options);
  const Table table = gpu_use_table(of.trace, chosen, 0, Names::raw);
  CHECK(std::get<std::string>(table.rows[0][column(table, "part")]) == "iterations 5 to 6");
  CHECK(std::get<int64_t>(table.rows[0][column(table, "iterations")]) == 2);
  CHECK(std::get<int64_t>(table.rows[0][column(table, "duration_ns")]) > 1'900'000'000);
  CHECK(std::get<std::string>(table.rows[1][column(table, "part")]) == "iteration 12");
  CHECK(number(table, 0, "energy_mj") == Approx(400'000).epsilon(0.02));
  CHECK(number(table, 0, "iteration_energy_mj") == Approx(200'000).epsilon(0.02));
  const auto shows = [](const Table& shown, const std::string& name) {
    return std::any_of(shown.columns.begin(), shown.columns.end(),
                       [&](const Column& each) { return each.name == name; });
  };
  const Table people = gpu_use_table(of.trace, of.figures, 0, Names::short_form);
  CHECK(shows(people, "power_mw"));
  CHECK_FALSE(shows(people, "temperature_max_c"));
  CHECK(shows(gpu_use_table(of.trace, of.figures, 0, Names::raw), "temperature_max_c"));
}

TEST_CASE("of a stretch of time the parts are cut to it") {
  Sampled of;
  FigureOptions options;
  const int64_t start_ns = of.trace.ops.front().start_ns;
  options.view.within = Window{start_ns + 2 * kSecond_ns, start_ns + 5 * kSecond_ns};
  const Figures stretch = compute_figures(of.trace, of.mined, options);
  const Table table = gpu_use_table(of.trace, stretch, 0, Names::raw);
  size_t parts = 0;
  for (size_t row = 0; row < table.rows.size(); ++row) {
    if (std::get<int64_t>(table.rows[row][0]) != 0) continue;
    ++parts;
    CHECK(std::get<int64_t>(table.rows[row][column(table, "duration_ns")]) <= 3'000'000'000);
    CHECK(std::get<int64_t>(table.rows[row][column(table, "iterations")]) <= 3);
  }
  CHECK(parts >= 2);
}

TEST_CASE("totals that cannot be read are said to be, on the page and under the tables") {
  Sampled of;
  of.trace.blobs[std::string(SampleTotals::kBlobKey)] = "\x02 of another version";
  CHECK(summary_text(of.trace, of.mined, SummaryOptions{}).find("cannot be read") !=
        std::string::npos);
  for (const Table& table : {gpu_use_table(of.trace, of.figures, 0, Names::short_form),
                             host_use_table(of.trace, of.figures, Names::raw)}) {
    REQUIRE(table.notes.size() == 1);
    CHECK(table.notes[0].find("cannot be read") != std::string::npos);
  }
}

TEST_CASE("OpenMetrics text has energy, power and memory in base units, from the samples") {
  Sampled of;
  const std::string text = openmetrics_text(of.trace, of.figures);
  INFO(text);
  const auto has = [&](const char* line) { return text.find(line) != std::string::npos; };
  CHECK(
      has("# TYPE deepprof_gpu_energy_joules counter\n# UNIT deepprof_gpu_energy_joules joules\n"));
  CHECK(has("\ndeepprof_gpu_energy_joules_total{device=\"0\"} 3999.4\n"));
  CHECK(has("\ndeepprof_gpu_power_watts{device=\"0\"} 200\n"));
  CHECK(has("\ndeepprof_gpu_power_watts{device=\"1\"} 20\n"));
  CHECK(has("\ndeepprof_gpu_memory_peak_bytes{device=\"0\"} 40000000000\n"));
  CHECK(has("\ndeepprof_process_cpu_ratio 1.5\n"));
  CHECK(has("\ndeepprof_iteration_energy_joules{device=\"0\"} 200"));
  CHECK_FALSE(has("deepprof_gpu_temperature"));
}

TEST_CASE("samples are listed with whose they are") {
  Sampled of;
  of.put(INT64_MAX / 2, Metric::thread_cpu, 3, 0.5);
  const Table table = samples_table(of.trace);
  CHECK(std::get<std::string>(table.rows.back()[1]) == "thread 3");
  CHECK(std::get<std::string>(table.rows.back()[2]) == "thread_cpu_ratio");
}

TEST_CASE("the batch is the one given, else the one that the trace was recorded with") {
  Trace trace;
  CHECK(batch_of(trace, 0) == 0);
  trace.process.facts.emplace_back("batch", "128");
  CHECK(batch_of(trace, 0) == 128);
  CHECK(batch_of(trace, 64) == 64);
}
