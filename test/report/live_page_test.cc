#include "analysis/report/live_page.h"

#include "analysis/iterations/mine.h"
#include "analysis/report/utf8.h"
#include "libdeepprof/event/metric.h"
#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using deepprof::test::TraceBuilder;

namespace {

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

std::string page_of(const Trace& trace, const LiveState& state) {
  const Mined mined = mine(trace);
  return live_page(trace, compute_figures(trace, mined, {}), state);
}

}  // namespace

TEST_CASE("a sparkline shows the newest values, the largest of them at full height") {
  CHECK(sparkline({}, 10).empty());
  CHECK(sparkline({0, 7}, 10) == "▁█");
  CHECK(sparkline({9, 9, 1, 2}, 2) == "▅█");
  CHECK(sparkline({-5, 0}, 10) == "▁▁");
}

TEST_CASE("the live page of a job without GPU ops says so, and whether the job runs") {
  TraceBuilder empty;
  LiveState state;
  state.title = "deepprof top   pid 7";
  state.age_s = 3;
  const Trace trace = empty.build();
  CHECK(has(page_of(trace, state), "running, written 3 s ago"));
  CHECK(has(page_of(trace, state), "no GPU op has been recorded yet"));
  state.running = false;
  CHECK(has(page_of(trace, state), "the job has ended"));
  CHECK(has(page_of(trace, state), "no GPU op was recorded"));
}

TEST_CASE("the live page of a job that was recorded without a GPU has the host's part") {
  TraceBuilder t;
  t.raw().process.facts = {{"recorded", "host"}};
  const std::string page = page_of(t.build(), {});
  INFO(page);
  CHECK_FALSE(has(page, "no GPU op"));
  CHECK(has(page, "too short a run for a sample"));
}

TEST_CASE("the live page accounts for the newest part and fits the terminal") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 5).kernel("ampere_sgemm", 10, 40);
  t.launch("cudaLaunchKernel", 100, 105).kernel("vectorized_elementwise_kernel", 110, 120);
  LiveState state;
  state.title = std::string(300, 'x');
  state.width = 60;
  const std::string page = page_of(t.build(), state);
  CHECK(has(page, "GPU 0   the newest 110.0 us, 2 GPU ops"));
  CHECK(has(page, "WHY THE GPU WAS IDLE"));
  for (size_t at = 0; at < page.size();) {
    const size_t end = page.find('\n', at);
    CHECK(static_cast<size_t>(display_width(page.substr(at, end - at))) <= 60);
    at = end + 1;
  }
}

TEST_CASE("the live page has the counters of the GPU and of the process") {
  TraceBuilder t(1'000'000);
  t.launch("cudaLaunchKernel", 0, 5).kernel("ampere_sgemm", 10, 3'000);
  Trace trace = t.build();
  for (int64_t tick = 0; tick < 31; ++tick) {
    const auto put = [&](Metric metric, uint32_t device, double value) {
      trace.samples.push_back({trace.ops[0].start_ns + tick * 100'000'000, value,
                               trace.names.intern(metric_name(metric)), device});
    };
    put(Metric::gpu_power, 0, 152'000);
    put(Metric::gpu_utilization, 0, 0.97);
    put(Metric::gpu_temperature, 0, 66);
    put(Metric::process_cpu, kNone, 1.5);
  }
  trace.finish();
  const std::string page = page_of(trace, {});
  INFO(page);
  for (const char* figure : {"152 W", "util 97.0 %", "66 C", "CPU 150.0 % of a core"})
    CHECK(has(page, figure));
}

TEST_CASE(
    "the live page gives slow iterations no numbers: the newest part does not know those of the "
    "run") {
  TraceBuilder t;
  for (int64_t iteration = 0, at = 0; iteration < 30; ++iteration, at += 100) {
    t.launch("cudaMemcpyAsync", at + 1, at + 2)
        .copy(CopyKind::host_to_device, at + 3, at + 10, 4096);
    for (int op = 0; op < 8; ++op) {
      t.launch("cudaLaunchKernel", at + op + 3, at + op + 4);
      t.kernel("kernel_" + std::to_string(op), at + 10 + op * 10, at + 20 + op * 10);
    }
    if (iteration == 17) at += 80;
  }
  const std::string page = page_of(t.build(), LiveState{});
  INFO(page);
  CHECK(has(page, "slow       1 of "));
  CHECK_FALSE(has(page, ": 17 ("));
  CHECK(has(page, " (+80.0 us)"));
}
