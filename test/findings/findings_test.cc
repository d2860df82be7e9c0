#include "analysis/findings/findings.h"

#include <string>

#include "analysis/findings/advice.h"
#include "analysis/iterations/mine.h"
#include "analysis/report/figures.h"
#include "analysis/report/sections.h"
#include "test/findings/found.h"
#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

// One gap of `gap` us in 1,000 us, ended by a kernel that is launched at its end; `call` covers it.
Findings with_gap(int64_t gap, const char* call = nullptr) {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 1).kernel("first", 10, 1010 - gap);
  if (call != nullptr) t.call(call, 1010 - gap, 1008);
  t.launch("cudaLaunchKernel", 1009, 1010).kernel("second", 1010, 1010 + 1);
  return findings_of(t.build());
}

}  // namespace

TEST_CASE("bands are XProf's") {
  CHECK(std::string(band(0.049, 0.05, 0.20)).empty());
  CHECK(std::string(band(0.05, 0.05, 0.20)) == "MODERATELY");
  CHECK(std::string(band(0.20, 0.05, 0.20)) == "MODERATELY");
  CHECK(std::string(band(0.201, 0.05, 0.20)) == "HIGHLY");
}

TEST_CASE("time with no call on the host is host-bound, by its share") {
  CHECK(finding(with_gap(40), "host_bound") == nullptr);
  const auto some = with_gap(100), much = with_gap(400);
  REQUIRE(finding(some, "host_bound") != nullptr);
  CHECK(finding(some, "host_bound")->sentence.find("MODERATELY host-bound") == 0);
  REQUIRE(finding(much, "host_bound") != nullptr);
  CHECK(finding(much, "host_bound")->sentence.find("HIGHLY host-bound") == 0);
  CHECK(finding(much, "host_bound")->ceiling_ns == 601'000);
}

TEST_CASE(
    "input-bound is said on evidence: an annotation that names the loader, or the copy of the "
    "batch") {
  for (const bool annotated : {true, false}) {
    TraceBuilder t;
    t.launch("cudaLaunchKernel", 0, 1)
        .kernel("first", 10, 500)
        .launch("cudaMemcpyAsync", 1000, 1001);
    if (annotated)
      t.range(RangeSource::annotation, "enumerate(DataLoader)#Iter.__next__", 400, 990)
          .kernel("second", 1010, 1020);
    else t.copy(CopyKind::host_to_device, 1010, 1020);
    const auto findings = findings_of(t.build());
    REQUIRE(finding(findings, "input_bound") != nullptr);
    CHECK(finding(findings, "input_bound")->sentence.find("HIGHLY input-bound") == 0);
    CHECK((finding(findings, "input_bound")->sentence.find("DataLoader") != std::string::npos) ==
          annotated);
  }
}

TEST_CASE("a loader that has a part of the wait is named, and is what can be helped") {
  // Twenty waits of 580 us, of which the loader has `share` in a hundred, tokens the rest.
  const auto of = [](int share) {
    TraceBuilder t;
    for (int64_t i = 0, at = 0; i < 20; ++i, at += 1000) {
      t.launch("cudaLaunchKernel", at, at + 1).kernel("kernel", at + 10, at + 420);
      const bool loader = 5 * i < share;
      t.range(RangeSource::annotation, loader ? "enumerate(DataLoader)#Iter.__next__" : "tokenize",
              at + 415, at + 999);
    }
    return findings_of(t.build());
  };
  const auto some = of(40), few = of(5);
  REQUIRE(finding(some, "host_bound") != nullptr);
  CAPTURE(finding(some, "host_bound")->sentence, finding(some, "host_bound")->next_step);
  CHECK(finding(some, "host_bound")->sentence.find(" % of it in tokenize, 4") != std::string::npos);
  CHECK(finding(some, "host_bound")->sentence.find(" % of it in enumerate(DataLoader)") !=
        std::string::npos);
  CHECK(finding(some, "host_bound")->next_step.find("Feed the GPU faster") != std::string::npos);
  REQUIRE(finding(few, "host_bound") != nullptr);
  CHECK(finding(few, "host_bound")->sentence.find("DataLoader") == std::string::npos);
}

TEST_CASE("a blocking call is named") {
  const auto findings = with_gap(400, "cudaStreamSynchronize");
  REQUIRE(finding(findings, "host_blocked") != nullptr);
  CHECK(finding(findings, "host_blocked")->sentence.find("cudaStreamSynchronize") !=
        std::string::npos);
  CHECK(finding(findings, "input_bound") == nullptr);
}

// `gaps` waits of 20 us for a call, and one of `longest` us; `call` none: in no call.
Findings with_gaps(int gaps, int64_t longest, const char* call) {
  TraceBuilder t;
  int64_t at = 0;
  for (int i = 0; i <= gaps; ++i) {
    const int64_t wait = i == gaps / 2 ? longest : 20;
    if (call != nullptr) t.call(call, at, at + wait - 2);
    t.launch("cudaLaunchKernel", at + wait - 1, at + wait);
    t.kernel("gemm_" + std::to_string(i), at + wait, at + wait + 10);
    at += wait + 10;
  }
  return findings_of(t.build());
}

TEST_CASE("launch-bound names the calls that take the time, and takes many gaps") {
  const auto findings = with_gaps(40, 20, "cudaFuncGetAttributes");
  REQUIRE(finding(findings, "launch_bound") != nullptr);
  CHECK(says(finding(findings, "launch_bound")->sentence, "cudaFuncGetAttributes"));
  CHECK(finding(findings, "slow_calls") == nullptr);
}

TEST_CASE("calls that launch nothing ask for no fewer launches") {
  const auto findings = with_gaps(40, 20, "cudaGetDeviceProperties");
  CHECK(finding(findings, "launch_bound") == nullptr);
  REQUIRE(finding(findings, "slow_calls") != nullptr);
  CHECK(says(finding(findings, "slow_calls")->sentence, "cudaGetDeviceProperties"));
  CHECK(says(finding(findings, "slow_calls")->next_step, "once"));
  CHECK(finding(with_gaps(40, 20, "cudaGetDevice"), "launch_bound") != nullptr);
}

TEST_CASE("one call that takes long is no launch-bound job") {
  for (const auto& findings :
       {with_gap(400, "cudaFuncGetAttributes"), with_gaps(40, 18'000, "cudaFuncGetAttributes")}) {
    CHECK(finding(findings, "launch_bound") == nullptr);
    REQUIRE(finding(findings, "slow_calls") != nullptr);
    CHECK(says(finding(findings, "slow_calls")->sentence, "cudaFuncGetAttributes"));
    CHECK_FALSE(says(finding(findings, "slow_calls")->next_step, "graph"));
  }
  CHECK(says(finding(with_gap(400, "cudaFuncGetAttributes"), "slow_calls")->sentence, "one call"));
}

TEST_CASE("a wait in which CUDA loads code says so, and the profiler's own is a finding") {
  const auto waiting = [](const char* overhead) {
    TraceBuilder t;
    t.launch("cudaLaunchKernel", 0, 1).kernel("first", 10, 500);
    t.launch("cudaLaunchKernel", 510, 1000).overhead(520, 990, overhead).kernel("next", 1010, 1500);
    return findings_of(t.build());
  };
  const auto loading = waiting("Lazy Function Loading"), flush = waiting("Buffer Flush");
  REQUIRE(finding(loading, "slow_calls") != nullptr);
  CHECK(says(finding(loading, "slow_calls")->sentence, "92 % of it while CUDA loads code"));
  CHECK(says(finding(loading, "slow_calls")->next_step, "CUDA_MODULE_LOADING=EAGER"));
  CHECK(finding(loading, "profiler_overhead") == nullptr);
  CHECK(finding(flush, "slow_calls") == nullptr);
  CHECK(finding(flush, "profiler_overhead") != nullptr);
}

TEST_CASE("short waits are advised on where they are the time, not beside one long wait") {
  const auto short_ones = with_gaps(40, 20, nullptr), one = with_gaps(40, 18'000, nullptr);
  REQUIRE(finding(short_ones, "host_bound") != nullptr);
  CHECK(says(finding(short_ones, "host_bound")->next_step, "Many short waits"));
  REQUIRE(finding(one, "host_bound") != nullptr);
  CHECK_FALSE(says(finding(one, "host_bound")->next_step, "Many short waits"));
  CHECK(says(finding(one, "host_bound")->next_step, "this one wait"));
  CHECK(says(finding(one, "host_bound")->sentence, "(96 % of all)"));
}

TEST_CASE("counts of gaps are said in grammar") {
  const std::string blocked =
      finding(with_gap(400, "cudaStreamSynchronize"), "host_blocked")->sentence;
  CHECK(says(blocked, "(1 gap)"));
}

TEST_CASE("communication that nothing hides is found, hidden communication is not") {
  TraceBuilder t;
  t.kernel("gemm", 0, 1000).stream(8).kernel("ncclDevKernel_AllReduce", 900, 1400);
  const auto exposed = findings_of(t.build());
  REQUIRE(finding(exposed, "communication_bound") != nullptr);
  CHECK(finding(exposed, "communication_bound")->share == Approx(400.0 / 1400));
  t = TraceBuilder();
  t.kernel("gemm", 0, 1000).stream(8).kernel("ncclDevKernel_AllReduce", 100, 900);
  CHECK(findings_of(t.build()).empty());
}

TEST_CASE("files of other ranks are asked for only where the trace lacks them") {
  for (const int world_size : {-1, 2, 8}) {
    TraceBuilder t;
    for (const uint16_t device : {0, 1})
      t.device(device).kernel("gemm", 0, 1000).kernel("ncclDevKernel_AllReduce", 1000, 1400);
    t.raw().process.world_size = world_size;
    const Findings findings = findings_of(t.build());
    REQUIRE(finding(findings, "communication_bound") != nullptr);
    CHECK(says(finding(findings, "communication_bound")->next_step, "files of all ranks") ==
          (world_size == 8));
  }
}

// `iterations` of 100 us each, one op in each, at the beginning of the run.
Mined iterations_of_100_us(const TraceBuilder& t, const Trace& trace, uint32_t iterations,
                           Verdict verdict, double confidence) {
  DeviceMined device;
  device.verdict = verdict;
  device.confidence = confidence;
  for (uint32_t i = 0; i < trace.ops.size(); ++i) device.order.push_back(i);
  for (uint32_t i = 0; i < iterations; ++i) {
    Iteration iteration;
    iteration.first = i;
    iteration.last = i + 1;
    iteration.start_ns = t.at(100 * i);
    iteration.end_ns = t.at(100 * i + 100);
    device.iterations.push_back(iteration);
  }
  Section section;
  section.kind = SectionKind::training;
  section.last = section.iterations = iterations;
  section.start_ns = t.at(0);
  section.end_ns = t.at(100 * iterations);
  device.sections.push_back(section);
  Mined mined;
  mined.devices.push_back(device);
  return mined;
}

// Iterations that each keep 4 MB.
Findings findings_of_growth(Verdict verdict, double confidence) {
  constexpr uint32_t kIterations = 40;
  TraceBuilder t;
  for (uint32_t i = 0; i < kIterations; ++i) {
    t.kernel("gemm", 100 * i, 100 * i + 100);
    Allocation step;
    step.time_ns = t.at(100 * i + 10);
    step.address = i + 1;
    step.bytes = 4'000'000;
    step.in_use_bytes = (i + 1) * step.bytes;
    step.kind = AllocationKind::device;
    step.step = AllocationStep::allocate;
    t.raw().allocations.push_back(step);
  }
  const Trace trace = t.build();
  const Mined mined = iterations_of_100_us(t, trace, kIterations, verdict, confidence);
  const Figures figures = compute_figures(trace, mined);
  return Finder(trace, figures).of_page(figures.main());
}

TEST_CASE("memory that grows from block to block, or by uncertain iterations, is no finding") {
  CHECK(finding(findings_of_growth(Verdict::iteration, 0.9), "memory_grows") != nullptr);
  CHECK(finding(findings_of_growth(Verdict::iteration, 0.4), "memory_grows") == nullptr);
  CHECK(finding(findings_of_growth(Verdict::repeating_block, 0.9), "memory_grows") == nullptr);
}

TEST_CASE("calls that free are a library's start at the run's, else an allocator's") {
  // One call or several before op `place` of 40; iterations of 4 ops, or none.
  const auto advice_for = [](int64_t calls, int64_t place, bool iterations = false) {
    TraceBuilder t;
    int64_t at = 0;
    for (int64_t op = 0; op < 40; ++op) {
      for (int64_t call = 0; op == place && call < calls; ++call, at += 500 / calls)
        t.call("cudaFree", at, at + 500 / calls);
      t.launch("cudaLaunchKernel", at, at + 1);
      t.kernel("void at::native::vectorized_elementwise_kernel<4>(int)", at + 1, at + 11);
      at += 11;
    }
    const Trace trace = t.build();
    const Mined mined = iterations ? in_iterations(trace, 4) : Mined{};
    const Figures figures = compute_figures(trace, mined);
    const auto findings = Finder(trace, figures).of_page(figures.main());
    REQUIRE(finding(findings, "host_blocked") != nullptr);
    return finding(findings, "host_blocked")->next_step;
  };
  CHECK(says(advice_for(1, 2), "warm up first"));
  CHECK(says(advice_for(1, 20), "in mid-run"));
  CHECK(says(advice_for(1, 6, true), "warm up first"));
  CHECK(says(advice_for(1, 22, true), "in mid-run"));
  CHECK(says(advice_for(10, 2), "expandable_segments"));
}

TEST_CASE("kernels of fewer blocks than SMs are found only where the number of SMs is known") {
  for (const uint32_t sms : {0u, 132u}) {
    TraceBuilder t;
    t.kernel("tiny", 0, 1000);
    Detail detail;
    detail.grid_x = 8;
    detail.grid_y = detail.grid_z = 1;
    t.raw().details.push_back(detail);
    t.raw().ops.back().detail = 1;
    t.raw().devices.push_back({.id = 0, .name = "GPU", .sm_count = sms});
    CHECK((finding(findings_of(t.build()), "small_grids") != nullptr) == (sms > 0));
  }
}

TEST_CASE("time in graph launches, whose grids nobody saw, is not in kernels of few blocks") {
  TraceBuilder t;
  t.kernel("tiny", 0, 10).op(Kind::graph, "CUDA graph 5", 10, 1000);
  Detail detail;
  detail.grid_x = detail.grid_y = detail.grid_z = 1;
  t.raw().details.push_back(detail);
  t.raw().ops.front().detail = 1;
  t.raw().devices.push_back({.id = 0, .name = "GPU", .sm_count = 132});
  CHECK(finding(findings_of(t.build()), "small_grids") == nullptr);
}

TEST_CASE("lost records make the findings inconclusive, and that comes first") {
  TraceBuilder t;
  t.kernel("a", 0, 10).kernel("b", 90, 100);
  t.raw().losses[Loss::cupti_dropped] = 5;
  const auto findings = findings_of(t.build());
  REQUIRE_FALSE(findings.empty());
  CHECK(findings.front().kind == FindingKind::inconclusive);
}

TEST_CASE("records without usable times make the findings inconclusive from a hundredth on") {
  TraceBuilder t;
  for (int i = 0; i < 150; ++i) t.kernel("a", 10 * i, 10 * i + 8);
  t.raw().losses[Loss::bad_timestamp] = 1;
  Trace trace = t.build();
  CHECK(finding(findings_of(trace), "inconclusive") == nullptr);
  trace.losses[Loss::bad_timestamp] = 2;
  const Findings findings = findings_of(trace);
  const Finding* found = finding(findings, "inconclusive");
  REQUIRE(found != nullptr);
  CHECK(found->sentence.find("no usable times") != std::string::npos);
  CHECK(found->next_step.find("deepprof check") != std::string::npos);
}

TEST_CASE(
    "uncertain iterations, few of them, or a run that is mostly something else are inconclusive") {
  const auto finding_of = [](uint32_t iterations, int64_t run, double confidence, Verdict verdict) {
    TraceBuilder t;
    for (uint32_t i = 0; i < iterations; ++i) t.kernel("gemm", 100 * i, 100 * i + 100);
    if (run > 100 * iterations) t.kernel("gemm", run - 1, run);
    const Trace trace = t.build();
    const Mined mined = iterations_of_100_us(t, trace, iterations, verdict, confidence);
    const Figures figures = compute_figures(trace, mined);
    const auto findings = Finder(trace, figures).of_page(figures.main());
    return !findings.empty() && findings.front().kind == FindingKind::inconclusive
               ? findings.front().sentence
               : std::string();
  };
  CHECK(finding_of(10, 0, 0.9, Verdict::iteration).empty());
  CHECK(finding_of(2, 0, 0.9, Verdict::iteration) == "INCONCLUSIVE: only 2 steady iterations.");
  CHECK(finding_of(10, 5000, 0.9, Verdict::iteration).find("cover only 20.0 % of the run") !=
        std::string::npos);
  CHECK(finding_of(10, 0, 0.3, Verdict::iteration).find("confidence LOW") != std::string::npos);
  CHECK(finding_of(10, 0, 0.9, Verdict::repeating_block).find("no iteration") != std::string::npos);
}

TEST_CASE(
    "where what was found is doubtful and little of the run, the figures are of the whole run") {
  const auto counted = [](int64_t run, double confidence) {
    TraceBuilder t;
    for (uint32_t i = 0; i < 10; ++i) t.kernel("gemm", 100 * i, 100 * i + 100);
    t.kernel("gemm", run - 1, run);
    const Trace trace = t.build();
    const Mined mined = iterations_of_100_us(t, trace, 10, Verdict::iteration, confidence);
    const Figures figures = compute_figures(trace, mined);
    CHECK(figures.main().basis.wall_ns == (figures.main().has_iterations() ? 9 * 100 : run) * 1000);
    return figures.main().counted.size();
  };
  CHECK(counted(2500, 0.3) == 0);
  CHECK(counted(1800, 0.3) == 9);
  CHECK(counted(2500, 0.6) == 9);
}

TEST_CASE("what was not recorded of an evaluation is not taken off the run twice") {
  TraceBuilder t;
  constexpr uint32_t kIterations = 10;
  for (uint32_t i = 0; i < kIterations; ++i) t.kernel("gemm", 100 * i, 100 * i + 100);
  t.kernel("gemm", 9'999, 10'000);
  t.raw().holes.push_back({t.at(2'000), t.at(8'000), 0});
  const Trace trace = t.build();
  Mined mined = iterations_of_100_us(t, trace, kIterations, Verdict::iteration, 0.9);
  mined.devices[0].sections.push_back(
      {.kind = SectionKind::evaluation, .start_ns = t.at(1'500), .end_ns = t.at(8'500)});
  const Figures figures = compute_figures(trace, mined);
  // 1 ms of the 3 ms that were recorded of all but the evaluation.
  const Findings findings = Finder(trace, figures).of_page(figures.main());
  REQUIRE_FALSE(findings.empty());
  CHECK(findings.front().sentence.find("cover only 33.3 % of the run") != std::string::npos);
}

TEST_CASE("a synchronize call in every iteration is found though the GPU does not wait for it") {
  for (const bool synchronizes : {true, false}) {
    TraceBuilder t;
    for (int64_t at = 0; at < 8'000; at += 1'000) {
      t.launch("cudaMemcpyAsync", at + 1, at + 2).copy(CopyKind::host_to_device, at, at + 10, 4096);
      for (int op = 0; op < 9; ++op) {
        t.launch("cudaLaunchKernel", at + op + 3, at + op + 4);
        t.kernel("kernel_" + std::to_string(op), at + 10 + op * 110, at + 120 + op * 110);
      }
      if (synchronizes) t.call("cudaStreamSynchronize", at + 100, at + 900);
    }
    const Trace trace = t.build();
    const Mined mined = mine(trace);
    REQUIRE(mined.devices[0].verdict == Verdict::iteration);
    const Figures figures = compute_figures(trace, mined);
    const auto findings = Finder(trace, figures).of_page(figures.main());
    const Finding* found = finding(findings, "synchronize_calls");
    REQUIRE((found != nullptr) == synchronizes);
    if (found != nullptr) {
      CHECK(found->sentence.find("cudaStreamSynchronize") == 0);
      CHECK(found->sentence.find("1.0 times per iteration") != std::string::npos);
      CAPTURE(found->sentence);
      CHECK(found->sentence.find("waits there 800") != std::string::npos);
    }
  }
}

TEST_CASE("one GPU that works less than the other is found, two that work alike are not") {
  for (const int64_t second : {900, 230}) {
    TraceBuilder t;
    t.device(0).launch("cudaLaunchKernel", 0, 1).kernel("a", 10, 1'000);
    t.device(1).launch("cudaLaunchKernel", 1, 2).kernel("a", 10, 10 + second);
    const auto findings = findings_of(t.build());
    const Finding* found = finding(findings, "imbalance");
    CHECK((found != nullptr) == (second == 230));
    if (found != nullptr) CHECK(found->sentence.find("GPU 1 computes 23.2 %") == 0);
  }
}

TEST_CASE("a busy GPU gives no finding") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 1)
      .kernel("gemm", 10, 1000)
      .launch("cudaLaunchKernel", 2, 3)
      .kernel("gemm", 1001, 2000);
  CHECK(findings_of(t.build()).empty());
}

TEST_CASE("advice speaks of the framework that was seen, and of none where none was") {
  const auto advice_for = [](const char* kernel) {
    TraceBuilder t;
    t.launch("cudaLaunchKernel", 0, 1)
        .kernel(kernel, 10, 610)
        .call("cudaStreamSynchronize", 610, 1008);
    t.launch("cudaLaunchKernel", 1009, 1010).kernel(kernel, 1010, 1011);
    const auto findings = findings_of(t.build());
    REQUIRE(finding(findings, "host_blocked") != nullptr);
    return finding(findings, "host_blocked")->next_step;
  };
  const auto says = [](const std::string& text, const char* word) {
    return text.find(word) != std::string::npos;
  };
  CHECK(says(advice_for("void at::native::vectorized_elementwise_kernel<4>(int)"), ".cpu()"));
  CHECK(says(advice_for("_ZN2at6native29vectorized_elementwise_kernelEv"), ".cpu()"));
  CHECK(says(advice_for("void xla::gpu::TopKKernel<float>(int)"), "block_until_ready"));
  CHECK(says(advice_for("void tensorflow::BiasNHWCKernel<float>(int)"), ".numpy()"));
  const std::string general = advice_for("cloverleaf::pdv_kernel(double*)");
  CHECK(says(general, "synchronize calls"));
  for (const char* word : {"tensor", ".cpu()", "torch", "jax", "DataLoader"})
    CHECK_FALSE(says(general, word));
}

TEST_CASE("general advice names no framework") {
  for (size_t about = 0; about < kAdvices; ++about) {
    const std::string text = advice(static_cast<Advice>(about), Framework::none);
    INFO(text);
    for (const char* word :
         {"torch", "tensor", "jax", "tf.", "DataLoader", "batch", "Python", "backward"})
      CHECK(text.find(word) == std::string::npos);
  }
}

TEST_CASE("what is said of the whole job is told once, not for each device") {
  TraceBuilder t;
  for (uint16_t device = 0; device < 40; ++device)
    t.device(device).launch("cudaLaunchKernel", 0, 1).kernel("a", 10, device == 0 ? 1'000 : 300);
  const Trace trace = t.build();
  const Mined mined;
  const Figures figures = compute_figures(trace, mined);
  const Finder finder(trace, figures);
  REQUIRE(finder.of_job().size() == 1);
  CHECK(finder.of_job().front().kind == FindingKind::imbalance);
  for (const DeviceFigures& device : figures.devices)
    CHECK(finding(finder.of_device(device), "imbalance") == nullptr);
  CHECK(finding(finder.of_page(figures.main()), "imbalance") != nullptr);
}

TEST_CASE("a thread that launches nothing on a GPU says nothing of that GPU's synchronize calls") {
  for (const uint32_t waits : {0u, 1u}) {
    TraceBuilder t;
    for (int64_t at = 0; at < 8'000; at += 1'000) {
      t.thread(0)
          .launch("cudaMemcpyAsync", at + 1, at + 2)
          .copy(CopyKind::host_to_device, at, at + 10, 4096);
      for (int op = 0; op < 9; ++op) {
        t.launch("cudaLaunchKernel", at + op + 3, at + op + 4);
        t.kernel("kernel_" + std::to_string(op), at + 10 + op * 110, at + 120 + op * 110);
      }
      t.thread(waits).call("cudaStreamSynchronize", at + 100, at + 900);
    }
    const Trace trace = t.build();
    const Mined mined = mine(trace);
    const Figures figures = compute_figures(trace, mined);
    CHECK((finding(Finder(trace, figures).of_device(figures.main()), "synchronize_calls") !=
           nullptr) == (waits == 0));
    const Table sync = sync_table(trace, figures);  // the verb counts as the finding does
    REQUIRE(sync.columns[2].name == "per_iteration");
    REQUIRE(sync.rows.size() == 1);
    CHECK(std::get<double>(sync.rows[0][2]) == (waits == 0 ? 1 : 0));
  }
}
