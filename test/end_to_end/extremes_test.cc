// Sizes beyond what any sane job has: names of a megabyte, a million of them, 64 devices, ten
// thousand streams, correlation ids that wrap.
#include <set>

#include "analysis/export/recording_format.h"
#include "test/end_to_end/account.h"
#include "test/end_to_end/jobs.h"
#include "test/support/catch.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

// Kernels of 4 us, one every 10 us, each with its launch. `shape` changes the op of launch i.
template <typename Shape>
recording::Recording launches(uint32_t count, Shape shape) {
  recording::Recording r;
  r.names = {"", "cudaLaunchKernel", "kernel"};
  r.threads = {{7, 7, 0}};
  for (uint32_t i = 0; i < count; ++i) {
    const int64_t at = 1'000'000'000 + int64_t{i} * 10'000;
    recording::Op op{};
    op.start_ns = at + 5000;
    op.end_ns = at + 9000;
    op.correlation = i + 1;
    op.name = 2;
    op.kind = 1;
    shape(i, op, r);
    r.calls.push_back({at, at + 4000, op.correlation, 1, 0, 0});
    r.ops.push_back(op);
  }
  return r;
}

// No job launches faster than so for long, and the ring's size is not the question here.
JobSpec spec_of(const recording::Recording& r, const char* rate) {
  JobSpec spec = injected();
  spec.arguments = {"--rate", rate};
  spec.recording = scratch_folder() + "/extreme.rec";
  REQUIRE(recording::write(spec.recording, r).empty());
  return spec;
}

LoadedDprof replay(const recording::Recording& r, JobOutcome* outcome = nullptr,
                   const char* rate = "100000") {
  const JobSpec spec = spec_of(r, rate);
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  LoadedDprof loaded = only_trace(job);
  INFO(job.errors);
  const std::string difference = imbalance(job, loaded.trace);
  if (!difference.empty()) FAIL_CHECK(difference);
  if (outcome) *outcome = job;
  return loaded;
}

}  // namespace

TEST_CASE("a kernel's name of a megabyte is kept, or shortened and counted") {
  const std::string longest(1 << 20, 'k');
  const LoadedDprof loaded =
      replay(launches(100, [&](uint32_t i, recording::Op& op, recording::Recording& r) {
        if (i == 0) r.names.push_back(longest);
        if (i == 50) op.name = 3;
      }));
  CHECK(loaded.trace.ops.size() == 100);
  size_t long_names = 0;
  for (const Op& op : loaded.trace.ops) long_names += loaded.trace.names[op.name].size() > 1000;
  CHECK((long_names == 1 || loaded.trace.losses[Loss::name_table_full] == 1));
}

TEST_CASE("a million distinct names stay within bounded memory", "[plain]") {
  constexpr uint32_t kNames = 1'000'000;
  JobOutcome job;
  const recording::Recording recording =
      launches(kNames, [](uint32_t i, recording::Op& op, recording::Recording& r) {
        r.names.push_back("void generated_kernel_of_a_compiler_that_never_repeats_itself_" +
                          std::to_string(i) + "()");
        op.name = static_cast<uint32_t>(r.names.size() - 1);
      });
  const LoadedDprof loaded = replay(recording, &job, "200000");
  CHECK(loaded.trace.ops.size() == kNames);
  std::set<std::string> names;
  for (const Op& op : loaded.trace.ops) names.emplace(loaded.trace.names[op.name]);
  CHECK(names.size() + loaded.trace.losses[Loss::name_table_full] >= kNames);
  // Of ours: pool, ring, names, and what the summary at exit may take.
  JobSpec alone = spec_of(recording, "200000");
  alone.library.clear();
  alone.arguments.clear();  // at full speed
  CHECK(job.peak_rss_kib - run_job(alone).peak_rss_kib < 512 * 1024);
}

TEST_CASE("64 devices and 10,000 streams are told apart") {
  const LoadedDprof loaded =
      replay(launches(20'000, [](uint32_t i, recording::Op& op, recording::Recording&) {
        op.device = i % 64;
        op.stream = i % 10'000;
      }));
  std::set<uint32_t> devices, streams;
  for (const Op& op : loaded.trace.ops) devices.insert(op.device), streams.insert(op.stream);
  CHECK(devices.size() == 64);
  CHECK(streams.size() == 10'000);
}

TEST_CASE("correlation ids that wrap at 32 bits still join ops with their launches") {
  const LoadedDprof loaded =
      replay(launches(1000, [](uint32_t i, recording::Op& op, recording::Recording&) {
        op.correlation = UINT32_MAX - 500 + i;
        if (op.correlation == 0) op.correlation = 1'000'000;  // CUPTI's "none"
      }));
  size_t joined = 0;
  for (const Op& op : loaded.trace.ops) joined += op.launch != kNone;
  CHECK(joined == 1000);
}

TEST_CASE("a graph launch of ten thousand nodes shares one correlation id and loses none") {
  recording::Recording r = launches(1, [](uint32_t, recording::Op& op, recording::Recording& made) {
    made.names[1] = "cudaGraphLaunch";
    op.graph = 3;
    op.graph_node = (uint64_t{3} << 32) | 1;
  });
  for (uint32_t node = 2; node <= 10'000; ++node) {
    recording::Op op = r.ops[0];
    op.start_ns += int64_t{node} * 5000;
    op.end_ns += int64_t{node} * 5000;
    op.graph_node = (uint64_t{3} << 32) | node;
    r.ops.push_back(op);
  }
  const LoadedDprof loaded = replay(r);
  std::set<uint32_t> nodes;
  for (const Op& op : loaded.trace.ops) nodes.insert(op.graph_node);
  CHECK(nodes.size() == 10'000);

  JobSpec spec = injected();
  spec.recording = scratch_folder() + "/graph.rec";
  REQUIRE(recording::write(spec.recording, r).empty());
  spec.environment["DEEPPROF_GRAPH"] = "graph";
  const JobOutcome whole = run_job(spec);
  require_unharmed(whole);
  const LoadedDprof as_graph = only_trace(whole);
  REQUIRE(as_graph.trace.ops.size() == 1);
  CHECK(as_graph.trace.ops[0].kind == Kind::graph);
  CHECK(as_graph.trace.ops[0].start_ns == r.ops[0].start_ns);
  CHECK(as_graph.trace.ops[0].end_ns() == r.ops.back().end_ns);
}
