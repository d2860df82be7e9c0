#include "analysis/cli/filters.h"

#include "analysis/iterations/mine.h"
#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using deepprof::test::TraceBuilder;

namespace {

Filters parsed(std::vector<std::string> arguments) {
  Filters filters;
  CLI::App app;
  filters.add_to(app);
  std::reverse(arguments.begin(), arguments.end());
  app.parse(arguments);
  return filters;
}

// Eight iterations of three kernels on two streams.
Trace small_loop() {
  TraceBuilder t;
  for (int step = 0; step < 8; ++step) {
    const int at = 100 * step;
    t.stream(7)
        .launch("cudaMemcpyAsync", at, at + 1)
        .copy(CopyKind::host_to_device, at + 1, at + 5);
    t.launch("cudaLaunchKernel", at + 2, at + 3).kernel("gemm", at + 10, at + 20);
    t.stream(8).launch("cudaLaunchKernel", at + 4, at + 5).kernel("adamw_kernel", at + 20, at + 30);
  }
  return t.build();
}

}  // namespace

TEST_CASE("without filters nothing changes") {
  Trace trace = small_loop();
  Mined mined = mine(trace);
  Filters filters = parsed({});
  REQUIRE(filters.resolve(trace, mined).ok());
  CHECK_FALSE(filters.any());
  filters.keep_selected(trace, mined);
  CHECK(trace.ops.size() == 24);
}

TEST_CASE("a stream or a span of time narrows the ops, and the miner's answer with them") {
  Trace trace = small_loop();
  Mined mined = mine(trace);
  Filters filters = parsed({"--stream", "8", "--from", "100us", "--to", "300us"});
  REQUIRE(filters.resolve(trace, mined).ok());
  filters.keep_selected(trace, mined);
  CHECK(trace.ops.size() == 2);
  for (const Op& op : trace.ops) CHECK(op.stream == 8);
  REQUIRE(mined.devices.size() == 1);
  CHECK(mined.devices[0].order.size() == 2);
  for (const uint32_t op : mined.devices[0].order) CHECK(op < trace.ops.size());
}

TEST_CASE("iterations are kept by their number") {
  Trace trace = small_loop();
  Mined mined = mine(trace);
  REQUIRE(mined.devices.size() == 1);
  REQUIRE(mined.devices[0].iterations.size() >= 5);
  const Iteration third = mined.devices[0].iterations[3];
  Filters filters = parsed({"--iter", "3"});
  REQUIRE(filters.resolve(trace, mined).ok());
  filters.keep_selected(trace, mined);
  CHECK(trace.ops.size() == third.last - third.first);
  REQUIRE(mined.devices[0].iterations.size() == 1);
  CHECK(mined.devices[0].iterations[0].first == 0);
  CHECK(mined.devices[0].iterations[0].last == trace.ops.size());
  CHECK(mined.devices[0].iterations[0].start_ns == third.start_ns);
}

TEST_CASE("a row of no iteration is none of those that are asked for") {
  Trace trace = small_loop();
  const Mined mined = mine(trace);
  Table table;
  table.columns = {{"iteration", Unit::none, ""}};
  table.rows = {{int64_t{2}}, {int64_t{3}}, {NotAvailable{"in no iteration"}}};
  Filters filters = parsed({"--iter", "3"});
  REQUIRE(filters.resolve(trace, mined).ok());
  filters.keep_rows(table);
  CHECK(table.rows.size() == 1);
}

TEST_CASE("rows are kept by what their columns say") {
  Table table;
  table.columns = {
      {"device", Unit::none, ""}, {"section", Unit::none, ""}, {"start_ns", Unit::none, ""}};
  table.rows = {{int64_t{0}, std::string("training"), int64_t{5}},
                {int64_t{1}, std::string("training"), int64_t{5}},
                {int64_t{0}, std::string("evaluation"), int64_t{5}}};
  Filters filters = parsed({"--device", "0", "--section", "training"});
  REQUIRE(filters.resolve(Trace{}, Mined{}).ok());
  filters.keep_rows(table);
  CHECK(table.rows.size() == 1);
}

TEST_CASE(
    "of the host stays what touches the stretch that is asked for, and what launched its ops") {
  const auto kept = [](std::vector<std::string> arguments) {
    TraceBuilder t;
    for (int step = 0; step < 8; ++step) {
      const int at = 100 * step;
      t.stream(7)
          .launch("cudaMemcpyAsync", at - 30, at - 29)
          .copy(CopyKind::host_to_device, at + 1, at + 5);
      t.launch("cudaLaunchKernel", at + 2, at + 3).kernel("gemm", at + 10, at + 20);
      t.launch("cudaLaunchKernel", at + 4, at + 5).kernel("adamw_kernel", at + 20, at + 30);
      t.call("cudaStreamSynchronize", at + 50, at + 60);
      t.range(RangeSource::annotation, "step " + std::to_string(step), at - 30, at + 60);
      t.overhead(at + 62, at + 63);
      t.raw().samples.push_back({t.at(at + 55), 1, t.raw().names.intern("gpu_power"), 0});
      t.raw().allocations.push_back({t.at(at + 55), 0x1000, 512, 512, 1, 0, AllocationKind::device,
                                     AllocationStep::allocate});
    }
    Trace trace = t.build();
    Mined mined = mine(trace);
    Filters filters = parsed(std::move(arguments));
    REQUIRE(filters.resolve(trace, mined).ok());
    filters.keep_selected(trace, mined);
    for (const Op& op : trace.ops) {
      REQUIRE(op.launch < trace.calls.size());
      CHECK(trace.calls[op.launch].correlation == op.correlation);
    }
    return std::vector<size_t>{trace.ops.size(),     trace.calls.size(),
                               trace.ranges.size(),  trace.overheads.size(),
                               trace.samples.size(), trace.allocations.size()};
  };
  CHECK(kept({}) == std::vector<size_t>{24, 32, 8, 8, 8, 8});
  // Two steps and the launches that come early: those of the first op, and of the step behind.
  const std::vector<size_t> two_steps{6, 9, 3, 2, 2, 2};
  CHECK(kept({"--from", "300us", "--to", "500us"}) == two_steps);
  CHECK(kept({"--iter", "3-4"}) == two_steps);
}
