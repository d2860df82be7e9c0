#include "analysis/export/recording.h"

#include <algorithm>

#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using deepprof::test::TraceBuilder;

TEST_CASE("a recording holds every op, call and wait of the trace that it was made from") {
  TraceBuilder t;
  t.thread(1).launch("cudaLaunchKernel", 0, 5).stream(7).kernel("gemm", 10, 20);
  t.launch("cudaMemcpyAsync", 6, 9)
      .stream(20)
      .copy(CopyKind::host_to_device, 12, 14, 4096, MemoryKind::pinned);
  t.call("cudaStreamSynchronize", 10, 21, 9);
  t.overhead(30, 31);
  Trace trace = t.build();
  Detail wait;
  wait.sync_type = 3;
  trace.details.push_back(wait);
  HostCall sync = trace.calls.back();
  sync.kind = Kind::sync;
  sync.stream = 7;
  sync.detail = static_cast<uint32_t>(trace.details.size() - 1);
  trace.calls.push_back(sync);

  const recording::Recording r = to_recording(trace);

  REQUIRE(r.ops.size() == 2);
  CHECK(r.names[r.ops[0].name] == "gemm");
  CHECK(r.ops[0].end_ns - r.ops[0].start_ns == 10'000);
  CHECK(r.ops[0].stream == 7);
  CHECK(r.ops[0].correlation == r.calls[0].correlation);
  CHECK(r.ops[1].bytes == 4096);
  CHECK(r.ops[1].source == 2);
  CHECK(r.ops[1].destination == 3);
  REQUIRE(r.calls.size() == 3);
  CHECK(r.names[r.calls[1].name] == "cudaMemcpyAsync");
  CHECK(r.threads[r.calls[1].thread].tid == trace.threads[1].tid);
  REQUIRE(r.syncs.size() == 1);
  CHECK(r.syncs[0].type == 3);
  CHECK(r.syncs[0].stream == 7);
  CHECK(r.overheads.size() == 1);
}

TEST_CASE("a trace without threads still makes a recording that can be launched") {
  TraceBuilder t;
  t.kernel("gemm", 1, 2);
  const recording::Recording r = to_recording(t.build());
  CHECK(r.threads.size() == 1);
}
