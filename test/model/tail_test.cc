#include "analysis/model/tail.h"

#include "analysis/iterations/mine.h"
#include "analysis/model/facts.h"
#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using deepprof::test::TraceBuilder;

namespace {

// A training job of ours: thread 0 launches the forward pass and the optimizer, thread 1 the
// backward pass. Killed: the last `lacking` iterations are without their backward pass.
struct Job {
  TraceBuilder t;
  int64_t at = 0;
  int64_t last_backward = 0;

  void op(uint32_t thread, const std::string& name) {
    t.thread(thread).launch("cudaLaunchKernel", at, at + 1).kernel(name, at + 2, at + 9);
    at += 10;
  }
  void iterate(int count, bool backward = true) {
    for (int i = 0; i < count; ++i) {
      t.thread(0).launch("cudaMemcpyAsync", at, at + 1);
      t.copy(CopyKind::host_to_device, at + 2, at + 5, 4096);
      at += 10;
      for (int k = 0; k < 20; ++k) op(0, "forward_" + std::to_string(k));
      for (int k = 0; k < 30 && backward; ++k) op(1, "backward_" + std::to_string(k));
      if (backward) last_backward = at - 1;
      for (int k = 0; k < 4; ++k) op(0, "multi_tensor_apply_kernel<adam>");
    }
  }
  Trace killed() {
    t.raw().closed = false;
    return ours();
  }
  Trace ours() {
    t.raw().process.source = "deepprof 1.0";
    Trace trace = t.build();
    find_tails(trace);
    return trace;
  }
};

bool all_training(const Trace& trace) {
  const Mined mined = mine(trace);
  REQUIRE(mined.devices.size() == 1);
  REQUIRE(mined.devices[0].verdict == Verdict::iteration);
  for (const Section& section : mined.devices[0].sections)
    if (section.kind != SectionKind::training) return false;
  return true;
}

}  // namespace

TEST_CASE("what one thread lacks at the end of a killed job's recording is left out") {
  Job job;
  job.iterate(30);
  job.iterate(8, false);
  const Trace trace = job.killed();
  REQUIRE(trace.tails.size() == 1);
  CHECK(trace.tails[0].start_ns == job.t.at(job.last_backward));
  CHECK(trace.tails[0].of_thread);
  CHECK(trace.tails[0].lane == 1);
  CHECK(trace.tails[0].ops == 4 + 8 * 25);
  REQUIRE(holes_of(trace, 0).size() == 1);
  CHECK(holes_of(trace, 0)[0].end_ns == trace.ops.back().end_ns());
  CHECK(all_training(trace));
}

TEST_CASE("the same end of a recording that was closed is what the job did") {
  Job job;
  job.iterate(30);
  job.iterate(8, false);
  const Trace trace = job.ours();
  CHECK(trace.tails.empty());
  CHECK(trace.holes.empty());
  CHECK_FALSE(all_training(trace));
}

TEST_CASE("a file written from a killed job's, and one of whose buffers CUPTI kept some, lack it") {
  for (const bool recovered : {true, false}) {
    Job job;
    job.iterate(30);
    job.iterate(3, false);
    if (recovered) job.t.raw().process.facts.emplace_back(kNotClosed, "1");
    else job.t.raw().losses[Loss::never_returned] = 2;
    CHECK(job.ours().tails.size() == 1);
  }
}

TEST_CASE("a file that was recovered from one that was closed has its end") {
  Job job;
  job.iterate(30);
  job.iterate(3, false);
  job.t.raw().process.facts.emplace_back(kRecovered, "whole.dprof");
  CHECK(job.ours().tails.empty());
}

TEST_CASE("a stream that ended long ago, or was used but once, cuts no killed job short") {
  Job job;
  job.t.stream(20);
  for (int k = 0; k < 5; ++k) job.op(2, "set up");
  job.t.stream(7);
  job.iterate(10);
  job.t.stream(21);
  job.op(3, "checkpoint");
  job.t.stream(7);
  job.iterate(1500);
  const Trace trace = job.killed();
  REQUIRE(trace.tails.size() == 1);
  CHECK(trace.tails[0].ops == 4);  // thread 1 has nothing behind its last backward pass
}

TEST_CASE("a lane that took part for the first half and then no more is not taken for lagging") {
  Job job;
  job.iterate(400);
  job.iterate(300, false);
  CHECK(job.killed().tails.empty());
}

TEST_CASE("a killed job of one thread and one stream is whole to its last op") {
  TraceBuilder t;
  for (int i = 0; i < 2000; ++i)
    t.launch("cudaLaunchKernel", 10 * i, 10 * i + 1).kernel("k", 10 * i + 2, 10 * i + 9);
  t.raw().closed = false;
  t.raw().process.source = "deepprof 1.0";
  Trace trace = t.build();
  find_tails(trace);
  CHECK(trace.tails.empty());
  CHECK(trace.holes.empty());
}
