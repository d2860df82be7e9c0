#include "analysis/model/trace.h"

#include <algorithm>

#include "analysis/model/overruns.h"
#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using deepprof::test::TraceBuilder;

TEST_CASE("an op is joined with the outermost call that launched it") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 5).call("cuLaunchKernel", 1, 4, 1).kernel("gemm", 10, 20);
  t.correlation(99).kernel("orphan", 30, 40);
  const Trace trace = t.build();
  REQUIRE(trace.ops.size() == 2);
  CHECK(trace.names[trace.calls[trace.ops[0].launch].name] == "cudaLaunchKernel");
  CHECK(trace.ops[1].launch == kNone);
}

TEST_CASE(
    "where correlation ids have come round again an op is joined with the newest of its calls") {
  constexpr int64_t kHour = 3'600'000'000;          // in microseconds
  for (const uint32_t other : {8u, 0xf0000000u}) {  // ids that are dense, and ids that are not
    TraceBuilder t;
    t.call("first", 0, 5, 7).call("inside", 1, 4, 7).correlation(7).kernel("a", 10, 20);
    t.call("other", 30, 31, other);
    t.call("second", kHour, kHour + 5, 7).call("inside", kHour + 1, kHour + 4, 7);
    t.kernel("b", kHour + 10, kHour + 20);
    t.call("third", 2 * kHour, 2 * kHour + 5, 7).kernel("c", 2 * kHour + 10, 2 * kHour + 20);
    const Trace trace = t.build();
    CAPTURE(other);
    REQUIRE(trace.ops.size() == 3);
    const char* const launched_by[] = {"first", "second", "third"};
    for (size_t i = 0; i < 3; ++i)
      CHECK(trace.names[trace.calls[trace.ops[i].launch].name] == launched_by[i]);
  }
}

TEST_CASE("ops with impossible times are excluded and counted") {
  TraceBuilder t;
  t.kernel("good", 10, 20).kernel("reversed", 30, 25);
  t.raw().ops.push_back({.start_ns = 0, .duration_ns = 5, .kind = Kind::kernel});
  t.raw().ops.push_back({.start_ns = 1000, .duration_ns = INT64_MAX / 2, .kind = Kind::kernel});
  const Trace trace = t.build();
  CHECK(trace.ops.size() == 1);
  CHECK(trace.losses[Loss::bad_timestamp] == 3);
}

TEST_CASE(
    "an op that seems to run on for long beside the next of its stream is dropped as an overrun") {
  constexpr int64_t kHour = 3'600'000'000, kSecond = 1'000'000;  // in microseconds, as all here
  TraceBuilder t;
  t.kernel("good", 10, 20).kernel("corrupt", 30, 30 + kHour).kernel("good", 40, 50);
  t.kernel("a little late", 60, 60 + kSecond).kernel("good", 70, 80);
  t.kernel("long, and the last", 100, 100 + kHour);
  t.stream(8).kernel("long, beside others", 5, 5 + kHour);
  t.stream(9).graph_node(1).kernel("node", 10, 10 + kHour).graph_node(2).kernel("node", 20, 30);
  Trace trace = t.build();
  CHECK(drop_overruns(trace) == 1);
  CHECK(trace.ops.size() == 8);
  for (const Op& op : trace.ops) CHECK(trace.names[op.name] != "corrupt");
  CHECK(std::is_sorted(trace.ops.begin(), trace.ops.end(),
                       [](const Op& a, const Op& b) { return a.start_ns < b.start_ns; }));
}

TEST_CASE("ops of another process, whose streams have the same numbers, make no overrun") {
  for (const uint32_t other : {1U, 2U}) {
    TraceBuilder t;
    t.launch("cudaLaunchKernel", 0, 5).kernel("long", 10, 3'000'000);
    t.thread(1).launch("cudaLaunchKernel", 6, 8).kernel("beside it", 20, 30);
    t.raw().threads[1].pid = other;
    Trace trace = t.build();
    CHECK(drop_overruns(trace) == (other == 1 ? 1 : 0));
  }
}

TEST_CASE("a kernel that runs for long while pages of managed memory move is no overrun") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 5).kernel("touches pages", 10, 3'000'000);
  t.correlation(0).copy(CopyKind::host_to_device, 20, 30);
  Detail& moved = t.raw().details.back();
  moved.source = moved.destination = MemoryKind::managed;
  Trace trace = t.build();
  CHECK(drop_overruns(trace) == 0);
  CHECK(trace.ops.size() == 2);
}

TEST_CASE("calls, ranges and overheads with impossible times are excluded and counted") {
  TraceBuilder t;
  t.kernel("good", 10, 20);
  constexpr struct {
    int64_t start_ns, duration_ns;
  } kTimes[] = {{0, 5},         {7, 0},         {8, -1},        {INT64_MIN, 1},
                {INT64_MAX, 1}, {9, INT64_MAX}, {-9, INT64_MAX}};
  for (const auto& times : kTimes) {
    t.raw().calls.push_back({.start_ns = times.start_ns, .duration_ns = times.duration_ns});
    t.raw().ranges.push_back({.start_ns = times.start_ns, .duration_ns = times.duration_ns});
    t.raw().overheads.push_back({.start_ns = times.start_ns, .duration_ns = times.duration_ns});
  }
  const Trace trace = t.build();
  CHECK(trace.calls.size() == 2);
  CHECK(trace.ranges.size() == 2);
  CHECK(trace.overheads.size() == 2);
  CHECK(trace.losses[Loss::bad_timestamp] == 15);
}

TEST_CASE("holes and samples with impossible times are excluded and counted") {
  TraceBuilder t;
  t.kernel("good", 10, 20).hole(12, 14);
  t.raw().holes.push_back({INT64_MIN, INT64_MAX, 0});
  t.raw().holes.push_back({5, INT64_MAX - 1, 0});
  // of a lane without events: nothing is missing
  t.raw().holes.push_back({INT64_MAX, INT64_MIN, 0});
  for (const int64_t time_ns : {int64_t{7}, INT64_MIN, INT64_MAX / 2, INT64_MAX})
    t.raw().samples.push_back({time_ns, 1.0});
  const Trace trace = t.build();
  CHECK(trace.holes.size() == 1);
  CHECK(trace.samples.size() == 1);
  CHECK(trace.losses[Loss::bad_timestamp] == 5);
}
