#include "analysis/report/summary.h"
#include "analysis/model/facts.h"

#include <string>

#include "analysis/iterations/mine.h"
#include "analysis/report/openmetrics.h"
#include "analysis/report/report_tables.h"
#include "analysis/report/utf8.h"
#include "test/support/catch.h"
#include "test/support/one_line.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using deepprof::test::one_line;
using deepprof::test::TraceBuilder;

namespace {

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

void check_width(const std::string& text, size_t width) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    CHECK(static_cast<size_t>(display_width(text.substr(at, end - at))) <= width);
    at = end + 1;
  }
}

const Table* find(const std::vector<Table>& tables, const char* name) {
  for (const Table& table : tables)
    if (table.name == name) return &table;
  return nullptr;
}

}  // namespace

TEST_CASE("a run without iterations is accounted whole") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 5).kernel("ampere_sgemm", 10, 40);
  t.launch("cudaLaunchKernel", 100, 105).kernel("vectorized_elementwise_kernel", 110, 120);
  const std::string text = summary_text(t.build(), Mined{}, SummaryOptions{});
  INFO(text);
  CHECK(has(text, "no iteration structure found"));
  CHECK(has(text, "whole run 110.0 us"));
  CHECK(has(text, "host outside CUDA"));
  check_width(text, 100);
}

TEST_CASE("under the time outside CUDA stands what the host was in") {
  TraceBuilder t;
  for (int64_t start = 0; start < 1000; start += 100) {
    t.launch("cudaLaunchKernel", start, start + 1).kernel("gemm", start + 2, start + 10);
    t.range(RangeSource::nvtx, start < 700 ? "next batch" : "logging", start - 90, start);
  }
  const std::string text = summary_text(t.build(), Mined{}, {});
  INFO(text);
  CHECK(has(text, "the host was in"));
  CHECK(has(text, "66.7 %  of it: next batch"));
  CHECK(has(text, "33.3 %  of it: logging"));
  check_width(text, 100);
}

TEST_CASE("data of which rows could not be understood are not called complete") {
  for (const uint64_t rows : {0u, 3u, 4u}) {
    TraceBuilder t;
    for (int i = 0; i < 300; ++i) t.kernel("a", 10 * i, 10 * i + 8);
    t.raw().losses[Loss::import_skipped] = rows;
    const std::string text = summary_text(t.build(), Mined{}, {});
    CHECK(has(text, "complete") == (rows == 0));
    CHECK(has(text, "0 dropped") == (rows < 4));
    CHECK(has(text, "INCOMPLETE, 4 input rows that could not be understood") == (rows == 4));
  }
}

TEST_CASE("copies beside launches of kernels, but no kernel, are not complete data") {
  const auto text_with = [](const char* call) {
    TraceBuilder t;
    t.launch("cudaMemcpyAsync", 0, 2).copy(CopyKind::host_to_device, 4, 9).call(call, 10, 12);
    return one_line(summary_text(t.build(), Mined{}, {}));
  };
  CHECK(has(text_with("cudaMalloc"), "complete: 0 dropped"));
  const std::string text = text_with("cudaLaunchKernel");
  CHECK(has(text, "INCOMPLETE, 1 kernel launch but no kernel: kernels were not recorded"));
  CHECK(has(text, "INCONCLUSIVE: no kernel was recorded of those launched (data line)"));
}

TEST_CASE("the data line says what the recording cannot tell") {
  TraceBuilder launches, all;
  launches.launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 40);
  CHECK(has(summary_text(launches.build(), Mined{}, {}), "no calls but launches recorded"));
  all.launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 40).call("cudaDeviceSynchronize", 6, 40);
  CHECK_FALSE(has(summary_text(all.build(), Mined{}, {}), "no calls but launches recorded"));
  TraceBuilder none;
  none.correlation(3).kernel("a", 10, 40);
  CHECK(has(summary_text(none.build(), Mined{}, {}), "no API records"));
}

TEST_CASE("a job without GPU ops has the steps that it marked") {
  TraceBuilder t;
  for (int i = 0; i < 4; ++i)
    t.range(RangeSource::step, "ProfilerStep#" + std::to_string(i), 2000 * i, 2000 * i + 1900);
  t.call("cudaGetDeviceCount", 0, 5);
  const std::string text = summary_text(t.build(), Mined{}, {});
  INFO(text);
  CHECK(has(text, "no GPU op was recorded"));
  CHECK(has(text, "4 steps (ProfilerStep#N)"));
  CHECK(has(text, "median 2.00 ms"));
}

TEST_CASE("the data line says that the GPU's times were moved, and KERNELS what graphs hide") {
  TraceBuilder t;
  t.launch("cudaGraphLaunch", 0, 5).op(Kind::graph, "CUDA graph 5", 10, 40);
  Trace trace = t.build();
  CHECK_FALSE(has(summary_text(trace, Mined{}, {}), "clocks of their own"));
  trace.process.facts = {{kClockMoved, "-414267000000000"}};
  const std::string text = summary_text(trace, Mined{}, {});
  INFO(text);
  CHECK(has(text, "clocks of their own"));
  CHECK(has(text, "414267"));
  CHECK(has(text, "1 graph launch"));
  CHECK(has(text, "what ran within a graph launch was not recorded"));
  trace.process.facts = {{kClockUnusable, "0"}};
  CHECK_FALSE(has(summary_text(trace, Mined{}, {}), "clocks of their own"));
  trace.process.facts = {{kClockUnusable, "1"}};
  CHECK(has(summary_text(trace, Mined{}, {}), "whose distance changes"));
}

TEST_CASE("times and facts that cannot be are shown without harm") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 40);
  Trace trace = t.build();
  Op late = trace.ops.front();
  late.start_ns += 400'000'000'000'000'000;  // twelve years of idle time
  trace.ops.push_back(late);
  trace.process.facts = {{kClockMoved, std::to_string(INT64_MIN)}};
  trace.finish();
  const std::string text = summary_text(trace, Mined{}, {});
  INFO(text);
  CHECK(has(text, "GPU idle"));
  CHECK(has(text, " back"));
}

TEST_CASE("the data line says how long another tool had CUPTI, and which part was asked for") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 40);
  Trace trace = t.build();
  trace.losses[Loss::takeover] = 2;
  trace.process.facts = {
      {"takeover.1", "1000000000 3000000000"},
      {"takeover.2", "5000000000 5500000000"},
      {"recorded_part", "from 2.0 s after the start on, 7 records outside left out"}};
  const std::string text = summary_text(trace, Mined{}, {});
  INFO(text);
  CHECK(has(text, "2.500 s in all"));
  CHECK(has(text, "7 records outside left out"));
}

TEST_CASE("data of which a hundredth has no usable times is not complete, nor is any called so") {
  TraceBuilder t;
  for (int i = 0; i < 150; ++i)
    t.launch("cudaLaunchKernel", 10 * i, 10 * i + 1).kernel("a", 10 * i + 2, 10 * i + 8);
  Trace trace = t.build();
  trace.losses[Loss::bad_timestamp] = 3;
  CHECK(has(summary_text(trace, Mined{}, {}), "data   0 dropped, 3 records without usable"));
  trace.losses[Loss::bad_timestamp] = 4;
  CHECK(has(summary_text(trace, Mined{}, {}), "data   INCOMPLETE, 4 records without usable"));
}

TEST_CASE(
    "the page and its tables say which end of a killed job's recording is left out, and why") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 40).kernel("b", 50, 1'000'050);
  Trace trace = t.build();
  const Mined none;
  const auto tables_of = [&] {
    return report_tables(trace, compute_figures(trace, none), 0, Names::raw);
  };
  CHECK(find(tables_of(), "left_out_at_end") == nullptr);
  trace.closed = false;
  trace.tails.push_back({0, t.at(40), t.at(1'000'050), 1, true, 0});
  trace.tails.push_back({5, t.at(40), t.at(50), 1, false, 9});  // of a GPU without ops here
  const std::string text = summary_text(trace, Mined{}, {});
  INFO(text);
  check_width(text, 100);
  CHECK(has(one_line(text),
            "the last 1.000 s (1 GPU op) left out of iterations and idle time: ops that thread 100 "
            "launched may be missing there"));
  CHECK_FALSE(has(text, "stream 9"));
  const std::vector<Table> tables = tables_of();
  const Table* table = find(tables, "left_out_at_end");
  REQUIRE(table != nullptr);
  REQUIRE(table->rows.size() == 1);
  CHECK(std::get<int64_t>(table->rows[0][1]) == t.at(40));
}

TEST_CASE("the ends that many GPUs of a killed job lack are one paragraph, the longest first") {
  TraceBuilder t;
  for (uint16_t gpu = 0; gpu < 8; ++gpu) t.device(gpu).kernel("a", 10, 40);
  Trace trace = t.build();
  trace.closed = false;
  for (uint16_t gpu = 0; gpu < 8; ++gpu)
    trace.tails.push_back({gpu, t.at(30 - gpu), t.at(40), 1, false, 9});
  const std::string text = one_line(summary_text(trace, Mined{}, {}));
  INFO(text);
  CHECK(has(text,
            "the last 17.0 us of GPU 7 (1 GPU op), the last 16.0 us of GPU 6 (1 GPU op), the last "
            "15.0 us of GPU 5 (1 GPU op) and less of 5 more left out of iterations and idle time"));
  CHECK(text.find("left out of") == text.rfind("left out of"));
}

TEST_CASE("where records of most of the run are missing, that is why no iterations were found") {
  const auto page = [](const Trace& of) { return one_line(summary_text(of, mine(of), {})); };
  TraceBuilder t;
  for (int i = 0; i < 100; ++i) t.kernel(i % 2 == 0 ? "a" : "b", 10 * i, 10 * i + 9);
  t.hole(0, 1000);
  const std::string hidden = page(t.build());
  INFO(hidden);
  CHECK_FALSE(has(hidden, "too few GPU ops"));
  CHECK(has(hidden,
            "(100 of 100 GPU ops lie where records are missing, to the end: see the data line)"));
  TraceBuilder whole;
  whole.kernel("a", 0, 9).kernel("b", 9, 10);
  CHECK(has(page(whole.build()), "too few GPU ops to repeat"));
}

TEST_CASE("counts of a file that let events go are said to be of what is left in it") {
  TraceBuilder t;
  t.kernel("a", 0, 9);
  Trace trace = t.build();
  CHECK_FALSE(has(summary_text(trace, Mined{}, {}), "left in the file"));
  trace.losses[Loss::segment_evicted] = 7;
  CHECK(has(summary_text(trace, Mined{}, {}), "left in the file: 1 kernel"));
}

TEST_CASE("the data line says what CUPTI would not record or tell, and which CUPTI that was") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 40);
  Trace trace = t.build();
  trace.process.facts = {{"cupti_version", "130001"}, {"driver_version", "13.4"}};
  CHECK_FALSE(has(summary_text(trace, Mined{}, {}), "130001"));
  trace.process.facts.emplace_back("refused.overhead", "CUPTI_ERROR_INVALID_KIND (21)");
  std::string text = one_line(summary_text(trace, Mined{}, {}));
  INFO(text);
  CHECK(has(text, "complete: 0 dropped, no records of overhead (CUPTI_ERROR_INVALID_KIND (21))"));
  CHECK(has(text, "with CUPTI 130001 and driver 13.4"));
  trace.process.facts.back() = {"cupti_dropped_unknown", "CUPTI_ERROR_UNKNOWN (999)"};
  text = summary_text(trace, Mined{}, {});
  check_width(text, 100);
  CHECK_FALSE(has(text, "0 dropped"));
  CHECK(has(one_line(text), "MAYBE INCOMPLETE, how many records CUPTI dropped is not known"));
}

TEST_CASE("buffers that never came back are told to be another tool's where no takeover is known") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 40);
  Trace trace = t.build();
  trace.losses[Loss::never_returned] = 2;
  CHECK(has(summary_text(trace, Mined{}, {}), "another user of CUPTI, such as torch.profiler"));
  trace.losses[Loss::takeover] = 1;
  const std::string known = summary_text(trace, Mined{}, {});
  CHECK(has(known, "2 buffers CUPTI"));
  CHECK_FALSE(has(known, "another user of CUPTI"));
}

TEST_CASE(
    "the iterations say what decided, and at which other levels the ops repeat: three at most") {
  TraceBuilder t;
  for (int64_t i = 0; i < 3; ++i)
    t.launch("cudaLaunchKernel", 100 * i, 100 * i + 5).kernel("a", 100 * i + 10, 100 * i + 60);
  const Trace trace = t.build();
  DeviceMined device;
  device.verdict = Verdict::iteration;
  device.ops_per_iteration = 1;
  for (uint32_t i = 0; i < 3; ++i) {
    device.order.push_back(i);
    Iteration iteration;
    iteration.number = i;
    iteration.first = i;
    iteration.last = i + 1;
    iteration.start_ns = t.at(100 * i + 10);
    iteration.end_ns = t.at(100 * i + 110);
    device.iterations.push_back(iteration);
  }
  Section section;
  section.kind = SectionKind::training;
  section.last = section.iterations = 3;
  section.start_ns = t.at(10);
  section.end_ns = t.at(310);
  device.sections.push_back(section);
  device.levels = {{1, 3, 1, "chosen"}};
  Mined mined;
  mined.devices.push_back(device);
  CHECK_FALSE(has(summary_text(trace, mined, {}), "decided by"));
  CHECK_FALSE(has(summary_text(trace, mined, {}), "repeats at"));

  mined.devices[0].decided_by = "input copied in at one place of each";
  mined.devices[0].levels = {{1, 3, 1, "chosen"},
                             {1200, 9, 1, "cycle of 4"},
                             {36.4, 9, 1, "layers"},
                             {2, 9, 1, "micro-steps"},
                             {7, 9, 1, "the fourth"}};
  const std::string text = summary_text(trace, mined, {});
  INFO(text);
  CHECK(has(text, "\n  decided by input copied in at one place of each\n"));
  CHECK(has(text,
            "\n  repeats at 1,200 ops (cycle of 4), 36 ops (layers), 2 ops (micro-steps) too\n"));
  CHECK_FALSE(has(text, "chosen"));
  CHECK_FALSE(has(text, "the fourth"));
}

TEST_CASE("OpenMetrics text holds the parts of the run, and no line for what is not known") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 5).kernel("ampere_sgemm", 1'000'000, 4'000'000);
  t.launch("cudaLaunchKernel", 100, 105).kernel("relu", 4'000'000, 5'000'000);
  Trace trace = t.build();
  trace.process.host = "a\"b";
  trace.losses[Loss::ring_full] = 7;
  const Mined mined;
  const std::string text = openmetrics_text(trace, compute_figures(trace, mined));
  INFO(text);
  CHECK(has(text, "deepprof_process_info{host=\"a\\\"b\",pid=\"0\"} 1\n"));
  CHECK(has(text, "deepprof_losses_total{loss=\"ring_full\"} 7\n"));
  CHECK(has(text, "deepprof_wall_seconds{device=\"0\"} 4\n"));
  CHECK(has(text, "deepprof_part_seconds{device=\"0\",part=\"compute\"} 4\n"));
  CHECK(has(text, "deepprof_part_seconds{device=\"0\",part=\"idle\"} 0\n"));
  CHECK_FALSE(has(text, "deepprof_iteration_seconds"));
  CHECK(has(text, "\n# EOF\n"));
}

TEST_CASE("an empty trace is said to be empty") {
  const std::string text = summary_text(TraceBuilder().build(), Mined{}, SummaryOptions{});
  CHECK(has(text, "no GPU op was recorded"));
}

TEST_CASE("a trace of calls alone is not said to be of a job without a GPU") {
  const auto text_of = [](const char* call) {
    return summary_text(TraceBuilder().call(call, 1, 2).build(), Mined{}, SummaryOptions{});
  };
  const std::string launches = text_of("cudaLaunchKernel"), others = text_of("cudaMalloc");
  CAPTURE(launches, others);
  CHECK(has(launches, "1 CUDA call, launches among them: what they launched was not recorded"));
  CHECK(has(others, "1 CUDA call: none of them launches anything"));
  CHECK_FALSE(has(launches + others, "did not use a GPU"));
}

TEST_CASE("a trace of which nothing could be read is not said to be of a job without a GPU") {
  Trace trace = TraceBuilder().build();
  trace.losses[Loss::import_skipped] = 3;
  const std::string text = summary_text(trace, Mined{}, SummaryOptions{});
  CHECK(has(text, "no GPU op was read; 3 events of any kind could not be: without"));
  CHECK_FALSE(has(text, "did not use a GPU"));
}

TEST_CASE("a job without GPU ops is told by what was recorded of it") {
  TraceBuilder called, allocated, host;
  called.call("cudaEventCreate", 0, 5).call("cudaMalloc", 10, 15);
  CHECK(has(one_line(summary_text(called.build(), Mined{}, {})),
            "but 2 CUDA calls: none of them launches anything"));
  Allocation allocation;
  allocation.device = 0;
  allocated.raw().allocations.push_back(allocation);
  CHECK(has(one_line(summary_text(allocated.build(), Mined{}, {})),
            "though memory of a GPU was allocated"));
  host.call("main", 0, 1).raw().calls.clear();
  host.range(RangeSource::framework_op, "aten::linear", 0, 100);
  host.range(RangeSource::framework_op, "aten::addmm", 20, 90);
  const std::string text = summary_text(host.build(), Mined{}, {});
  INFO(text);
  CHECK(has(one_line(text), "of the host alone, 2 operators and annotations were"));
  CHECK_FALSE(has(text, "deepprof report has"));  // this is it
  // By their own time, which adds up to that of the outermost.
  CHECK(has(text, "HOST   100.0 us"));
  CHECK(has(text, "70.0 us        1  aten::addmm"));
  CHECK(has(text, "30.0 us        1  aten::linear"));
}

TEST_CASE("the host's operators are told whatever a file says of threads and orders") {
  TraceBuilder host;
  host.call("main", 0, 1).raw().calls.clear();
  // Of clocks of a microsecond, and recorded where they end: what is inside comes first.
  host.range(RangeSource::framework_op, "aten::addmm", 0, 70);
  host.range(RangeSource::framework_op, "aten::linear", 0, 100);
  host.range(RangeSource::framework_op, "aten::relu", 0, 50);
  host.raw().ranges.back().thread = UINT32_MAX;
  const std::string text = summary_text(host.build(), Mined{}, {});
  INFO(text);
  CHECK(has(text, "70.0 us        1  aten::addmm"));
  CHECK(has(text, "30.0 us        1  aten::linear"));
  CHECK(has(text, "50.0 us        1  aten::relu"));
}

TEST_CASE("annotations that differ in their numbers are one place where the host was") {
  TraceBuilder t;
  for (int64_t start = 0; start < 1000; start += 100) {
    t.launch("cudaLaunchKernel", start, start + 1).kernel("gemm", start + 2, start + 10);
    const std::string name = start < 700 ? "load_layer_" + std::to_string(start / 100) : "conv2d";
    t.range(RangeSource::nvtx, name, start - 90, start);
  }
  const std::string text = summary_text(t.build(), Mined{}, {});
  INFO(text);
  CHECK(has(text, "66.7 %  of it: load_layer_N"));
  CHECK(has(text, "33.3 %  of it: conv2d"));
}

TEST_CASE("the data line says where clocks that are apart may decide what the host was in") {
  for (const int64_t early : {1, 60}) {
    TraceBuilder t;
    for (int64_t start = 0; start < 1000; start += 200)
      t.launch("cudaLaunchKernel", start + early, start + early + 1)
          .kernel("gemm", start, start + 10);
    const std::string text = one_line(summary_text(t.build(), Mined{}, {}));
    CHECK(has(text, "5 ops start before the call that launched them, by up to 60.0 us") ==
          (early == 60));
    CHECK(has(text, "start before the call") == (early == 60));
  }
}

TEST_CASE("one kernel alone is said to repeat") {
  TraceBuilder t;
  for (int64_t start = 0; start < 1000; start += 100)
    t.launch("cudaLaunchKernel", start, start + 1).kernel("gemv", start + 2, start + 10);
  CHECK(has(one_line(summary_text(t.build(), Mined{}, {})), "one kernel alone, repeated 10 times"));
}

TEST_CASE("pages of managed memory lack no launch") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 1).kernel("a", 10, 40).correlation(0);
  t.copy(CopyKind::host_to_device, 100, 120, 4096);
  Trace trace = t.build();
  trace.details.back().source = trace.details.back().destination = MemoryKind::managed;
  const std::string text = summary_text(trace, Mined{}, {});
  INFO(text);
  CHECK(has(text, "managed memory moves"));
  CHECK_FALSE(has(text, "no launch record"));
}
