#include "analysis/findings/device_findings.h"

#include "analysis/report/figures.h"
#include "libdeepprof/trace/sample_totals.h"
#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using deepprof::test::TraceBuilder;

namespace {

constexpr int64_t kSecond_ns = 1'000'000'000;

// Ten seconds in which GPU 0 works all the time; what was sampled of it is added.
struct Run {
  Run() {
    TraceBuilder t(1'000'000);
    t.device(0).launch("cudaLaunchKernel", 0, 1).kernel("a", 1, 10'000);
    trace = t.build();
    trace.devices = {{0, "GPU", 108, 80'000, 8, 0, 2048}};
  }
  Run& sampled(Metric metric, uint32_t device, double value, double then = -1) {
    for (int second = 0; second <= 10; ++second) {
      trace.samples.push_back({trace.ops[0].start_ns + second * kSecond_ns,
                               then >= 0 && second >= 5 ? then : value,
                               trace.names.intern(metric_name(metric)), device});
    }
    return *this;
  }
  Run& sampled_idle_gpu() {
    return sampled(Metric::gpu_utilization, 0, 0.9)
        .sampled(Metric::gpu_power, 0, 152'000)
        .sampled(Metric::gpu_utilization, 1, 0)
        .sampled(Metric::gpu_power, 1, 23'000);
  }
  // The sentence of a finding; empty: not found.
  std::string sentence(const std::string& key, const View& view = {}) {
    return found(key, view).sentence;
  }
  Finding found(const std::string& key, const View& view = {}) {
    trace.finish();
    const Mined mined;
    const Figures figures = compute_figures(trace, mined, {"", view});
    for (const Finding& finding : Finder(trace, figures).of_page(figures.main())) {
      if (finding_key(finding.kind) == key) return finding;
    }
    return {};
  }
  Trace trace;
};

bool holds(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a GPU that the job sees and leaves idle is found, with what both draw") {
  const std::string sentence = Run().sampled_idle_gpu().sentence("imbalance");
  CAPTURE(sentence);
  CHECK(holds(sentence, "GPU 1 is not used while GPU 0 computes 100.0 %"));
  CHECK(holds(sentence, "it draws 23.0 W against 152 W"));
  CHECK(holds(sentence, "whole GPUs, whoever uses them"));
}

TEST_CASE("a GPU that somebody else keeps busy, or another rank, is no imbalance") {
  CHECK(Run()
            .sampled(Metric::gpu_power, 0, 152'000)
            .sampled(Metric::gpu_power, 1, 90'000)
            .sampled(Metric::gpu_utilization, 1, 0.8)
            .sentence("imbalance")
            .empty());
  Run ranked;
  ranked.trace.process.rank = 0;
  ranked.trace.process.world_size = 2;
  CHECK(ranked.sampled_idle_gpu().sentence("imbalance").empty());
}

TEST_CASE(
    "ranks of a job are compared as the GPUs of a process are: by work, power, memory, and heat at "
    "even work") {
  const auto rank = [](const char* name, double computes, double watts, double celsius) {
    ShareOfWork share{name, true, {}, static_cast<int64_t>(computes * 1e9), computes};
    share.use.power_mw = 1000 * watts;
    share.use.temperature_max_c = celsius;
    return share;
  };
  const auto found = [](std::vector<ShareOfWork> ranks) {
    std::vector<Finding> findings;
    find_imbalance(ranks, findings);
    return findings.empty() ? std::string() : findings[0].sentence;
  };
  CHECK(found({rank("rank 0", 0.9, 300, 60), rank("rank 1", 0.88, 310, 62),
               rank("rank 2", 0.9, 305, 61)})
            .empty());
  const std::string uneven = found(
      {rank("rank 0", 0.9, 500, 60), rank("rank 1", 0.3, 150, 40), rank("rank 2", 0.4, 160, 41)});
  CAPTURE(uneven);
  CHECK(holds(uneven,
              "rank 1 computes 30.0 % of the run while rank 0 computes 90.0 %; it draws 150 W "
              "against 500 W"));
  CHECK(holds(uneven, "is at 40 C against 60 C"));
  ShareOfWork ended_early = rank("rank 1", 0.9, 500, 60);
  ended_early.compute_ns /= 50;
  CHECK(holds(found({rank("rank 0", 0.9, 500, 60), ended_early}),
              "rank 1 computes for 18.0 ms in all while rank 0 computes for 900 ms"));
  CHECK(holds(found({rank("rank 0", 0.9, 500, 60), rank("rank 1", 0.89, 150, 60)}),
              "rank 1 computes 89.0 % of the run while rank 0 computes 90.0 %; it draws 150 W"));
  CHECK(holds(found({rank("rank 0", 0.90, 150, 60), rank("rank 1", 0.89, 500, 60)}),
              "rank 0 computes 90.0 % of the run while rank 1 computes 89.0 %; it draws 150 W"));
  CHECK(holds(found({rank("rank 0", 0.9, 300, 84), rank("rank 1", 0.9, 300, 61)}),
              "rank 0 gets as hot as 84 C while rank 1 stays at 61 C"));
  CHECK(found({rank("rank 0", 0.9, 300, 84)}).empty());
  ShareOfWork full = rank("rank 0", 0.9, 300, 60), roomy = rank("rank 1", 0.9, 300, 60);
  full.use.memory_peak_bytes = 70e9;
  roomy.use.memory_peak_bytes = 20e9;
  CHECK(holds(found({full, roomy}), ", holds 20.0 GB against 70.0 GB"));
  roomy.use.memory_peak_bytes = 60e9;
  CHECK(found({full, roomy}).empty());
}

TEST_CASE("waiting for another GPU in a collective is no work: who waits has less of it") {
  const auto found = [](int64_t computes_us) {
    TraceBuilder t(1'000);
    for (const uint16_t device : {uint16_t{0}, uint16_t{1}}) {
      const int64_t until_us = device == 0 ? 9'000 : computes_us;
      t.device(device).launch("cudaLaunchKernel", 0, 1).kernel("gemm", 1, until_us);
      t.launch("cudaLaunchKernel", 2, 3)
          .kernel("ncclDevKernel_AllReduce_Sum", until_us, 10'000 + device);
    }
    Trace trace = t.build();
    trace.finish();
    const Mined mined;
    const Figures figures = compute_figures(trace, mined);
    for (const Finding& finding : Finder(trace, figures).of_job()) {
      if (finding.kind == FindingKind::imbalance) return finding.sentence + finding.next_step;
    }
    return std::string();
  };
  const std::string uneven = found(3'000);
  CAPTURE(uneven);
  CHECK(holds(uneven, "GPU 1 computes 30.0 % of the run while GPU 0 computes 90.0 %"));
  CHECK_FALSE(holds(uneven, "drop"));
  CHECK(holds(found(200), "or drop it"));
  CHECK(found(8'900).empty());
}

TEST_CASE("memory over nine tenths full is found with both sizes") {
  CHECK(holds(Run().sampled(Metric::gpu_memory_used, 0, 75'000).sentence("memory_nearly_full"),
              "75.0 KB of 80.0 KB"));
  CHECK(Run().sampled(Metric::gpu_memory_used, 0, 70'000).sentence("memory_nearly_full").empty());
}

TEST_CASE("clocks held down by power or heat are found with their reasons; an idle GPU's are not") {
  const std::string sentence =
      Run().sampled(Metric::gpu_throttle, 0, 0x04, 0x44).sentence("throttled");
  CAPTURE(sentence);
  CHECK(holds(sentence, "power cap in 100.0 %, heat (hardware) in 54.5 %"));
  CHECK(Run().sampled(Metric::gpu_throttle, 0, 0x03).sentence("throttled").empty());
}

TEST_CASE("busy cores and a thread without a core are found") {
  CHECK(holds(Run().sampled(Metric::system_cpu, kNone, 0.97).sentence("cpu_saturated"),
              "busy 97.0 %"));
  CHECK(Run().sampled(Metric::system_cpu, kNone, 0.5).sentence("cpu_saturated").empty());
  CHECK(holds(Run().sampled(Metric::thread_runnable, 2, 0.3).sentence("thread_waits_for_core"),
              "Thread 2 could run but had no core 30.0 %"));
  const auto advice = [](double process_cpu) {
    return Run()
        .sampled(Metric::thread_runnable, 2, 0.3)
        .sampled(Metric::process_cpu, kNone, process_cpu)
        .found("thread_waits_for_core")
        .next_step;
  };
  CHECK(holds(advice(3), "Fewer loader workers or compute threads"));
  CHECK(holds(advice(0.35), "others hold them"));
  Run named;
  named.trace.threads.at(0) = {41873, 41880, "main"};
  CHECK(holds(named.sampled(Metric::thread_runnable, 0, 0.3).sentence("thread_waits_for_core"),
              "Thread 41880 (main) could run"));
  CHECK(Run().sampled(Metric::thread_runnable, 2, 0.01).sentence("thread_waits_for_core").empty());
}

TEST_CASE("findings of a run whose samples were let go are of the whole run") {
  Run run;
  run.sampled(Metric::gpu_memory_used, 0, 10'000).sampled(Metric::gpu_throttle, 0, 0);
  SampleTotals totals;
  for (int64_t second = 0; second < 100; ++second) {
    totals.add(Metric::gpu_memory_used, 0, second * kSecond_ns, second == 50 ? 76'000 : 10'000);
    totals.add(Metric::gpu_throttle, 0, second * kSecond_ns, second < 40 ? 4 : 0);
    totals.add(Metric::system_cpu, kHostDevice, second * kSecond_ns, 0.97);
  }
  run.trace.blobs[std::string(SampleTotals::kBlobKey)] = totals.encode();
  CHECK(holds(run.sentence("memory_nearly_full"), "95.0 % of GPU 0's memory"));
  CHECK(holds(run.sentence("throttled"), "held down in 40.0 % of the samples."));
  CHECK(holds(run.sentence("cpu_saturated"), "busy 97.0 % of the time"));
}

TEST_CASE("nothing sampled, nothing found") { CHECK(Run().sentence("imbalance").empty()); }

TEST_CASE("of a part of the run the reasons of that part are given") {
  Run run;
  run.sampled(Metric::gpu_throttle, 0, 4, 0x40);  // the power cap, then heat
  View early;
  early.within = Window{run.trace.ops[0].start_ns, run.trace.ops[0].start_ns + 4 * kSecond_ns};
  const std::string whole = run.sentence("throttled"), part = run.sentence("throttled", early);
  CAPTURE(whole, part);
  CHECK(holds(whole, "heat"));
  CHECK(holds(part, "power cap in 100.0 %"));
  CHECK_FALSE(holds(part, "heat"));
}

TEST_CASE("nothing is said of a part of the run where totals of the whole run are all there is") {
  Run run;
  run.sampled(Metric::gpu_memory_used, 0, 79'000);
  SampleTotals totals;
  for (const Sample& sample : run.trace.samples)
    totals.add(Metric::gpu_memory_used, 0, sample.time_ns, sample.value);
  run.trace.blobs[std::string(SampleTotals::kBlobKey)] = totals.encode();
  run.trace.samples.resize(3);
  View early;
  early.within = Window{run.trace.ops[0].start_ns, run.trace.ops[0].start_ns + 4 * kSecond_ns};
  CHECK_FALSE(run.sentence("memory_nearly_full").empty());
  CHECK(run.sentence("memory_nearly_full", early).empty());
  const Mined mined;
  const Figures figures = compute_figures(run.trace, mined, {"", early});
  CHECK(Finder(run.trace, figures).left_out() != nullptr);
}

TEST_CASE("a GPU that was not asked for is not called unused") {
  Run run;
  run.sampled_idle_gpu();
  View one;
  one.device = 0;
  CHECK_FALSE(run.sentence("imbalance").empty());
  CHECK(run.sentence("imbalance", one).empty());
}
