// The tables of communication.
#include <string>

#include "analysis/report/figures.h"
#include "analysis/report/ranks.h"
#include "analysis/report/sections.h"
#include "test/report/cells.h"
#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

Table communication_of(const Trace& trace) {
  Ranks ranks;
  add_ranks(trace, compute_figures(trace, Mined{}), "", false, ranks);
  compare_ranks(ranks);
  return communication_table(ranks, Names::raw);
}

}  // namespace

TEST_CASE("communication is split into what compute hides and what it does not") {
  TraceBuilder t;
  t.kernel("gemm", 0, 50)
      .kernel("gemm", 60, 70)
      .stream(20)
      .kernel("ncclDevKernel_AllReduce", 40, 80);
  const Trace trace = t.build();
  const Table table = communication_of(trace);
  REQUIRE(table.rows.size() == 1);
  CHECK(number(table, 0, "total_ns") == 40'000);
  CHECK(number(table, 0, "exposed_ns") == 20'000);
  CHECK(missing(table, 0, "waiting_ns"));  // with whom?
  CHECK(ratio(table, 0, "overlap_ratio") == Approx(0.5));
}

TEST_CASE("a collective's bandwidth is its size by its time, the bus's by its algorithm") {
  TraceBuilder t;
  const auto sized = [&](const char* name, int64_t from, int64_t to, uint64_t bytes) {
    t.kernel(name, from, to);
    Detail detail;
    detail.bytes = bytes;
    t.raw().details.push_back(detail);
    t.raw().ops.back().detail = static_cast<uint32_t>(t.raw().details.size() - 1);
  };
  sized("ncclDevKernel_AllReduce_Sum_f32", 0, 100, 8'000'000);
  sized("ncclDevKernel_AllGather_RING", 200, 280, 4'000'000);
  sized("ncclDevKernel_SendRecv", 300, 350, 1'000'000);
  t.kernel("ncclDevKernel_Broadcast_RING", 400, 410);
  t.raw().process.facts.emplace_back("collective_ranks", "4");
  const Table table = communication_of(t.build());
  REQUIRE(table.rows.size() == 4);  // longest first
  CHECK(number(table, 0, "mean_bytes") == 8'000'000);
  CHECK(ratio(table, 0, "algorithm_bytes_per_s") == Approx(80e9));
  CHECK(ratio(table, 0, "bus_bytes_per_s") == Approx(120e9));  // 2 (4 - 1) / 4
  CHECK(ratio(table, 1, "bus_bytes_per_s") == Approx(37.5e9));
  CHECK(ratio(table, 2, "algorithm_bytes_per_s") == Approx(20e9));
  CHECK(missing(table, 2, "bus_bytes_per_s"));        // one message, or an all-to-all
  CHECK(missing(table, 3, "algorithm_bytes_per_s"));  // no size
}

TEST_CASE("collectives of unlike size are rows of their own, whatever their kernel is called") {
  TraceBuilder t;
  const auto sized = [&](const char* name, int64_t from, int64_t to, uint64_t bytes) {
    Detail detail;
    detail.bytes = bytes;
    t.kernel(name, from, to).raw().details.push_back(detail);
    t.raw().ops.back().detail = static_cast<uint32_t>(t.raw().details.size() - 1);
  };
  sized("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 0, 100, 4'000'000);
  sized("ncclDevKernel_AllReduce_Sum_f32_TREE_LL", 100, 180, 3'000'000);
  sized("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 200, 210, 1000);
  t.kernel("cross_device_reduce_1stage", 300, 305);
  const Table table = communication_of(t.build());
  REQUIRE(table.rows.size() == 3);
  for (size_t row = 0; row < 3; ++row) CHECK(text(table, row, "collective") == "all-reduce");
  CHECK(number(table, 0, "count") == 2);
  CHECK(number(table, 0, "from_bytes") == 2'097'152);
  CHECK(number(table, 0, "mean_bytes") == 3'500'000);
  CHECK(text(table, 0, "name") == "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
  CHECK(number(table, 1, "mean_bytes") == 1000);
  CHECK(missing(table, 2, "from_bytes"));
}

TEST_CASE("a bus bandwidth is not claimed where groups differ in size") {
  TraceBuilder t;
  Detail detail;
  detail.bytes = 1'000'000;
  t.kernel("ncclDevKernel_AllReduce_Sum_f32", 0, 100);
  t.raw().details.push_back(detail);
  t.raw().ops.back().detail = 1;
  const Table table = communication_of(t.build());
  CHECK(ratio(table, 0, "algorithm_bytes_per_s") == Approx(10e9));
  CHECK(missing(table, 0, "bus_bytes_per_s"));
}

TEST_CASE("a collective on two devices is split into its transfer and the wait for the later one") {
  TraceBuilder t;
  t.device(0)
      .stream(20)
      .kernel("ncclDevKernel_AllReduce", 0, 100)
      .kernel("ncclDevKernel_AllReduce", 200, 230);
  t.device(1)
      .stream(20)
      .kernel("ncclDevKernel_AllReduce", 60, 100)
      .kernel("ncclDevKernel_AllReduce", 200, 230);
  const Trace trace = t.build();
  const Table table = communication_of(trace);
  REQUIRE(table.rows.size() == 2);
  CHECK(number(table, 0, "device") == 0);
  CHECK(number(table, 0, "waiting_ns") == 60'000);
  CHECK(number(table, 1, "waiting_ns") == 0);
}
