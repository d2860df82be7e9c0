#include "analysis/report/sections.h"

#include <memory>
#include <string>

#include "analysis/report/coverage.h"
#include "analysis/report/operator_sections.h"
#include "analysis/report/ranks.h"
#include "analysis/report/view.h"
#include "test/report/cells.h"
#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

struct Case {
  Trace trace;
  Mined mined;
  Figures figures;
};

// `starts`: of iterations, in builder time; the last one ends at `end`. Each takes the ops launched
// in it.
std::unique_ptr<Case> mined_case(TraceBuilder& t, const std::vector<int64_t>& starts, int64_t end,
                                 uint32_t ops_each) {
  auto built = std::make_unique<Case>();
  DeviceMined device;
  device.verdict = Verdict::iteration;
  for (uint32_t i = 0; i < starts.size(); ++i) {
    Iteration iteration;
    iteration.number = i;
    iteration.first = i * ops_each;
    iteration.last = iteration.first + ops_each;
    iteration.start_ns = t.at(starts[i]);
    iteration.end_ns = t.at(i + 1 < starts.size() ? starts[i + 1] : end);
    device.iterations.push_back(iteration);
  }
  Section section;
  section.kind = SectionKind::training;
  section.last = static_cast<uint32_t>(starts.size()) * ops_each;
  section.start_ns = device.iterations.front().start_ns;
  section.end_ns = device.iterations.back().end_ns;
  section.iterations = static_cast<uint32_t>(starts.size());
  device.sections.push_back(section);
  built->trace = t.build();
  for (uint32_t i = 0; i < built->trace.ops.size(); ++i) device.order.push_back(i);
  built->mined.devices.push_back(std::move(device));
  built->figures = compute_figures(built->trace, built->mined);
  return built;
}

// Three iterations of 100 us: a kernel of 40, 40 and 60 us, then a synchronize and a copy launched
// late.
std::unique_ptr<Case> three_iterations() {
  TraceBuilder t;
  for (const int64_t start : {0, 100, 200}) {
    const int64_t length = start == 200 ? 60 : 40;
    t.launch("cudaLaunchKernel", start - 5, start - 3)
        .kernel("ampere_sgemm_128x64_nn", start, start + length);
    t.call("cudaStreamSynchronize", start, start + length + 1);
    t.launch("cudaMemcpyAsync", start + 79, start + 80)
        .copy(CopyKind::device_to_host, start + 80, start + 90, 1000);
  }
  return mined_case(t, {0, 100, 200}, 290, 2);
}

}  // namespace

TEST_CASE("a stretch that is open at one end is told by its other end") {
  const std::unique_ptr<Case> c = three_iterations();
  const auto words = [&](int64_t from_ns, int64_t to_ns) {
    View view;
    view.within = Window{from_ns, to_ns};
    return view_words(view, c->trace);
  };
  const int64_t origin = c->trace.ops.front().start_ns;
  CHECK(words(INT64_MIN, origin + 5000) == "only up to 5.00 us after the first GPU op");
  CHECK(words(origin + 5000, INT64_MAX) == "only from 5.00 us after the first GPU op on");
  CHECK(words(origin - 1, origin + 5000) == "only 0 ns to 5.00 us after the first GPU op");
}

TEST_CASE("rows of the iterations table add up to their duration") {
  const auto of = three_iterations();
  const Table table = IterationRows(of->figures, Names::raw).table();
  REQUIRE(table.rows.size() == 3);
  for (size_t row = 0; row < 3; ++row) {
    int64_t parts = 0, causes = 0;
    for (const char* part : {"compute_ns", "communication_exposed_ns", "memcpy_exposed_ns",
                             "memset_exposed_ns", "idle_ns"}) {
      parts += number(table, row, part);
    }
    for (size_t cause = 0; cause < kCauses; ++cause) {
      causes += number(table, row, std::string(cause_info(static_cast<Cause>(cause)).key) + "_ns");
    }
    CHECK(parts == number(table, row, "duration_ns"));
    CHECK(causes == number(table, row, "idle_ns"));
  }
  CHECK(number(table, 2, "compute_ns") == 60'000);
  CHECK(table.columns.size() >
        IterationRows(of->figures, Names::short_form).table().columns.size());
}

TEST_CASE("gaps are cut at the borders of iterations, longest first, and sum to the idle time") {
  const auto of = three_iterations();
  const Table table = gaps_table(of->trace, of->figures, {}, Names::raw);
  int64_t sum = 0;
  for (size_t row = 0; row < table.rows.size(); ++row) {
    sum += number(table, row, "duration_ns");
    CHECK(number(table, row, "end_ns") - number(table, row, "start_ns") ==
          number(table, row, "duration_ns"));
    if (row > 0) CHECK(number(table, row - 1, "duration_ns") >= number(table, row, "duration_ns"));
  }
  CHECK(sum == of->figures.main().run.idle_ns);
  CHECK(number(table, 0, "duration_ns") == 40'000);
  CHECK(text(table, 0, "cause") == "host outside CUDA");
  CHECK(text(table, 0, "op_after") == "Memcpy DtoH");
  CHECK(
      gaps_table(of->trace, of->figures, {.min_ns = 20'001, .cause = ""}, Names::raw).rows.size() ==
      2);
  CHECK(
      gaps_table(of->trace, of->figures, {.min_ns = 0, .cause = "host"}, Names::raw).rows.size() ==
      5);
  CHECK(gaps_table(of->trace, of->figures, {.min_ns = 0, .cause = "kernel_wait"}, Names::raw)
            .rows.empty());
  CHECK(is_known_cause("host"));
  CHECK_FALSE(is_known_cause("dataloader"));
}

TEST_CASE("the causes table has a row for each cause, n/a where there is no gap") {
  const auto of = three_iterations();
  const Table table = idle_table(of->trace, of->figures, Names::raw);
  REQUIRE(table.rows.size() == kCauses);
  CHECK(number(table, 0, "gaps") == 5);
  CHECK(missing(table, 5, "median_ns"));
  CHECK(number(table, 5, "total_ns") == 0);
}

TEST_CASE("kernels and categories share the kernel time out") {
  TraceBuilder t;
  t.kernel("ampere_sgemm", 0, 30).kernel("ampere_sgemm", 30, 40).kernel("my_own", 40, 100);
  const Trace trace = t.build();
  const Mined mined;
  const Figures figures = compute_figures(trace, mined);
  const Table kernels = kernels_table(trace, figures, Names::raw),
              categories = categories_table(figures);
  REQUIRE(kernels.rows.size() == 2);
  CHECK(text(kernels, 0, "name") == "my_own");
  CHECK(number(kernels, 1, "total_ns") == 40'000);
  CHECK(number(kernels, 1, "mean_ns") == 20'000);
  CHECK(number(kernels, 1, "max_ns") == 30'000);
  CHECK(ratio(kernels, 1, "share_ratio") == Approx(0.4));
  CHECK(missing(kernels, 0, "per_iteration"));
  CHECK(text(categories, 1, "category") == "gemm");
  CHECK(number(categories, 1, "kernels") == 1);
}

TEST_CASE("what the host was in while the GPU waited for it has its share of that time") {
  TraceBuilder t;
  const auto late = [&](int64_t start, const char* range) {
    t.launch("cudaLaunchKernel", start, start + 1).kernel("gemm", start + 2, start + 10);
    if (range != nullptr) t.range(RangeSource::python, range, start - 90, start);
  };
  late(0, nullptr);
  late(100, "dataloader.py(630): __next__");
  late(200, "dataloader.py(630): __next__");
  late(300, "log.py(7): write");
  late(400, nullptr);
  const Trace trace = t.build();
  const Table table = host_doing_table(trace, compute_figures(trace, Mined{}), Names::raw);
  REQUIRE(table.rows.size() == 2);
  CHECK(text(table, 0, "annotation") == "dataloader.py(630): __next__");
  CHECK(number(table, 0, "total_ns") == 2 * 92'000);
  CHECK(ratio(table, 0, "share_ratio") == Approx(0.5));
  CHECK(ratio(table, 1, "share_ratio") == Approx(0.25));
}

TEST_CASE("calls of one operator are one row of what the host was in, whatever numbers they have") {
  TraceBuilder t;
  for (int64_t i = 0; i < 3; ++i) {
    const int64_t at = 100 * i;
    t.launch("cudaLaunchKernel", at, at + 1).kernel("gemm", at + 2, at + 10);
    t.range(RangeSource::nvtx,
            "aten::mm, seq = " + std::to_string(40 + i) + ", op_id = " + std::to_string(i), at - 90,
            at);
  }
  const Trace trace = t.build();
  const Table table = host_doing_table(trace, compute_figures(trace, Mined{}), Names::raw);
  REQUIRE(table.rows.size() == 1);
  CHECK(text(table, 0, "annotation") == "aten::mm");
  CHECK(number(table, 0, "total_ns") == 2 * 92'000);
}

TEST_CASE("GPU time is of the operator that launched it, and of all that it was called in") {
  TraceBuilder t;
  const auto launched = [&](int64_t at, const char* kernel, int64_t length) {
    t.launch("cudaLaunchKernel", at, at + 1).kernel(kernel, 100 + at, 100 + at + length);
  };
  t.range(RangeSource::nvtx, "forward", 0, 50)
      .range(RangeSource::framework_op, "aten::linear", 1, 20);
  t.range(RangeSource::framework_op, "aten::mm, seq = 1", 2, 10);
  launched(3, "gemm", 8);
  t.range(RangeSource::framework_op, "aten::mm, seq = 2", 11, 15);
  launched(12, "gemm", 10);
  launched(16, "bias", 2);  // of aten::linear itself
  launched(30, "copy", 5);  // of forward itself
  launched(60, "late", 6);  // in none
  t.correlation(0).kernel("orphan", 170, 174);
  const Trace trace = t.build();
  const Figures figures = compute_figures(trace, Mined{});
  const Table table = operators_table(trace, figures, std::nullopt, Names::raw);
  REQUIRE(table.rows.size() == 5);
  CHECK(text(table, 0, "annotation") == "aten::mm");
  CHECK(number(table, 0, "calls") == 2);
  CHECK(number(table, 0, "own_ns") == 18'000);
  CHECK(number(table, 1, "own_ns") == 5'000);  // forward
  CHECK(number(table, 1, "total_ns") == 25'000);
  CHECK(number(table, 2, "own_ns") == 2'000);  // aten::linear
  CHECK(number(table, 2, "total_ns") == 20'000);
  CHECK(text(table, 3, "annotation") == "(launched in none)");
  CHECK(number(table, 3, "own_ns") == 6'000);
  CHECK(missing(table, 3, "total_ns"));
  CHECK(text(table, 4, "annotation") == "(launch not recorded)");
  CHECK(number(table, 4, "own_ns") == 4'000);
  const Table nvtx = operators_table(trace, figures, RangeSource::nvtx, Names::raw);
  REQUIRE(nvtx.rows.size() == 3);
  CHECK(number(nvtx, 0, "own_ns") == 25'000);
}

TEST_CASE("own GPU time is of the inner operator where it begins with the outer one") {
  TraceBuilder t;
  t.range(RangeSource::framework_op, "aten::addmm", 1, 9)
      .range(RangeSource::framework_op, "aten::linear", 1, 20);
  t.launch("cudaLaunchKernel", 3, 4).kernel("gemm", 100, 108);
  const Trace trace = t.build();
  const Table table =
      operators_table(trace, compute_figures(trace, Mined{}), std::nullopt, Names::raw);
  REQUIRE(table.rows.size() == 2);
  CHECK(text(table, 0, "annotation") == "aten::addmm");
  CHECK(number(table, 0, "own_ns") == 8'000);
  CHECK(number(table, 1, "own_ns") == 0);
  CHECK(number(table, 1, "total_ns") == 8'000);
}

TEST_CASE("streams tell how long ops wait and how many are queued") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 1)
      .kernel("a", 10, 20)
      .launch("cudaLaunchKernel", 2, 3)
      .kernel("b", 20, 30);
  t.stream(9).correlation(0).kernel("orphan", 30, 40);
  const Trace trace = t.build();
  const Table table = streams_table(trace, compute_figures(trace, Mined{}));
  REQUIRE(table.rows.size() == 2);
  CHECK(number(table, 0, "queue_most") == 2);
  CHECK(number(table, 0, "launch_delay_median_ns") == 14'000);
  CHECK(ratio(table, 0, "busy_ratio") == Approx(20.0 / 30));
  CHECK(missing(table, 1, "queue_most"));
}

TEST_CASE("the note on pageable memory counts the copies that the finding counts") {
  TraceBuilder t;
  t.copy(CopyKind::host_to_device, 0, 10, 196'608)
      .copy(CopyKind::host_to_device, 10, 20, 65'536)
      .copy(CopyKind::device_to_host, 20, 30, 131'072, MemoryKind::pinned);
  const Trace trace = t.build();
  const Mined mined;
  const Table table = memcpy_table(trace, compute_figures(trace, mined));
  REQUIRE(table.notes.size() == 2);
  CHECK(table.notes[1].find("50.0 % of the bytes") == 0);
}

TEST_CASE("copies are summed by direction and memory, sizes by powers of two") {
  TraceBuilder t;
  t.copy(CopyKind::host_to_device, 0, 10, 1000).copy(CopyKind::host_to_device, 10, 20, 3000);
  t.copy(CopyKind::host_to_device, 20, 30, 4096, MemoryKind::pinned)
      .copy(CopyKind::device_to_device, 30, 40);
  const Trace trace = t.build();
  const Mined mined;
  const Figures figures = compute_figures(trace, mined);
  const Table table = memcpy_table(trace, figures);
  REQUIRE(table.rows.size() == 3);
  CHECK(text(table, 0, "source") == "pageable");
  CHECK(number(table, 0, "total_bytes") == 4000);
  CHECK(ratio(table, 0, "bytes_per_second") == Approx(4000 / 20e-6));
  CHECK(missing(table, 2, "total_bytes"));
  CHECK(table.notes.size() == 1);
  const Table sizes = memcpy_sizes_table(trace, figures);
  REQUIRE(sizes.rows.size() == 4);
  CHECK(missing(sizes, 0, "from_bytes"));
  CHECK(number(sizes, 1, "from_bytes") == 512);
  CHECK(number(sizes, 3, "below_bytes") == 8192);
}

TEST_CASE("blocking calls tell how much of them the GPU idled") {
  const auto of = three_iterations();
  const Table table = sync_table(of->trace, of->figures);
  REQUIRE(table.rows.size() == 1);
  CHECK(text(table, 0, "function") == "cudaStreamSynchronize");
  CHECK(number(table, 0, "count") == 3);
  CHECK(ratio(table, 0, "per_iteration") == Approx(1));
  CHECK(number(table, 0, "total_ns") == 143'000);
  CHECK(number(table, 0, "gpu_idle_ns") == 3'000);
}

TEST_CASE("an iteration stands beside the typical one, part by part and op by op") {
  const auto of = three_iterations();
  const DeviceFigures& device = of->figures.main();
  const SlowFigures slow = find_slow(device);
  const Table parts = iteration_parts_table(device, 2, slow);
  CHECK(text(parts, 0, "part") == "compute");
  CHECK(number(parts, 0, "growth_ns") == 20'000);
  const Table ops = iteration_ops_table(of->trace, device, 2, 0, Names::raw);
  REQUIRE(ops.rows.size() == 3);
  CHECK(text(ops, 2, "name") == "(end of the iteration)");
  CHECK(number(ops, 0, "duration_ns") == 60'000);
  CHECK(number(ops, 0, "growth_ns") == 20'000);
  CHECK(number(ops, 1, "gap_growth_ns") == -20'000);
  CHECK(text(ops, 1, "match") == "both");
}

TEST_CASE("the wait that ends an iteration stands in its last row, the one before it nowhere") {
  // A kernel each; the host lets the GPU wait 20 us behind it, 50 us in the second iteration.
  TraceBuilder t;
  for (const int64_t start : {0, 60, 150}) {
    t.launch("cudaLaunchKernel", start - 5, start - 3).kernel("k", start, start + 40);
  }
  const auto of = mined_case(t, {0, 60, 150}, 190, 1);
  const DeviceFigures& device = of->figures.main();
  const Table second = iteration_ops_table(of->trace, device, 1, 0, Names::raw);
  REQUIRE(second.rows.size() == 2);
  CHECK(number(second, 0, "gap_before_ns") == 0);
  CHECK(number(second, 1, "gap_before_ns") == 50'000);
  CHECK(number(second, 1, "typical_gap_ns") == 20'000);
  CHECK(number(second, 1, "gap_growth_ns") == 30'000);
  CHECK(number(second, 1, "start_ns") == 90'000);
  CHECK(missing(second, 1, "duration_ns"));
  CHECK(text(second, 1, "cause") == "host outside CUDA");
  const Table last = iteration_ops_table(of->trace, device, 2, kNone, Names::raw);
  CHECK(last.rows.size() == 1);
}

TEST_CASE("the timeline clips to the iteration and draws every lane") {
  const auto of = three_iterations();
  const DeviceFigures& device = of->figures.main();
  const Table table = timeline_table(of->trace, of->figures, device, 1, Names::raw);
  int64_t idle = 0;
  for (size_t row = 0; row < table.rows.size(); ++row) {
    CHECK(number(table, row, "start_ns") >= device.mined->iterations[1].start_ns);
    if (text(table, row, "kind") == "gap") idle += number(table, row, "duration_ns");
  }
  CHECK(idle == device.iterations[1].idle_ns);
  const std::string drawing = timeline_text(of->trace, of->figures, device, 1, 80);
  INFO(drawing);
  CHECK(drawing.find("stream 7") != std::string::npos);
  CHECK(drawing.find("# compute") != std::string::npos);
  CHECK(drawing.find("O host outside CUDA") != std::string::npos);
  CHECK(timeline_text(of->trace, of->figures, device, kNone, 80).find("whole run") !=
        std::string::npos);
}

TEST_CASE("a column of the timeline that is busy for most of its time is not drawn as idle") {
  TraceBuilder t;
  for (int64_t start = 0; start < 4000; start += 20)
    t.launch("cudaLaunchKernel", start, start + 1).kernel("gemm", start, start + 17);
  const auto of = mined_case(t, {0, 2000}, 4000, 100);
  const std::string drawing = timeline_text(of->trace, of->figures, of->figures.main(), kNone, 80);
  INFO(drawing);
  CHECK(drawing.find(". idle for less than half") != std::string::npos);
  CHECK(drawing.find("O host outside CUDA") == std::string::npos);
}

TEST_CASE("the breakdown table holds the run, its sections and the counted iterations") {
  const auto of = three_iterations();
  const Table table = breakdown_table(of->figures);
  REQUIRE(table.rows.size() == 3);
  CHECK(text(table, 1, "scope") == "training");
  CHECK(number(table, 0, "wall_ns") == 290'000);
  CHECK(missing(table, 0, "overlap_ratio"));
}

TEST_CASE("coverage answers for any stretch") {
  TraceBuilder t(1);
  t.kernel("a", 10, 20).kernel("b", 15, 30).kernel("c", 50, 60);
  const Trace trace = t.build();
  const Coverage covered(trace, ops_of_device(trace, 0), [](const Op&) { return true; });
  CHECK(covered.covered_ns(t.at(0), t.at(100)) == 30);
  CHECK(covered.covered_ns(t.at(12), t.at(18)) == 6);
  CHECK(covered.covered_ns(t.at(25), t.at(55)) == 10);
  CHECK(covered.covered_ns(t.at(30), t.at(50)) == 0);
  CHECK(covered.covered_ns(t.at(0), t.at(5)) == 0);
  CHECK(covered.covered_ns(t.at(20), t.at(20)) == 0);
}
