#include "analysis/model/trace.h"

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

TEST_CASE("ops with impossible times are excluded and counted") {
  TraceBuilder t;
  t.kernel("good", 10, 20).kernel("reversed", 30, 25);
  t.raw().ops.push_back({.start_ns = 0, .duration_ns = 5, .kind = Kind::kernel});
  t.raw().ops.push_back({.start_ns = 1000, .duration_ns = INT64_MAX / 2, .kind = Kind::kernel});
  const Trace trace = t.build();
  CHECK(trace.ops.size() == 1);
  CHECK(trace.losses[Loss::bad_timestamp] == 3);
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
