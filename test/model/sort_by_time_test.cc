#include "analysis/model/sort_by_time.h"

#include <random>

#include "analysis/model/trace.h"
#include "test/support/catch.h"

using namespace deepprof;

namespace {

struct Row {
  int64_t time;
  uint32_t arrival;

  friend bool operator==(const Row&, const Row&) = default;
};

}  // namespace

TEST_CASE("rows are sorted by time and rows of one time keep their order") {
  std::mt19937_64 random(3);
  for (const size_t count : {0, 1, 2, 100, 1999, 2000, 50'000}) {
    for (const uint64_t spread :
         {uint64_t{1}, uint64_t{7}, uint64_t{1'000'000}, uint64_t{1} << 45, UINT64_MAX}) {
      std::vector<Row> rows;
      for (uint32_t i = 0; i < count; ++i)
        rows.push_back({static_cast<int64_t>(random() % spread), i});
      std::vector<Row> expected = rows;
      std::stable_sort(expected.begin(), expected.end(),
                       [](const Row& a, const Row& b) { return a.time < b.time; });
      sort_by_time(rows, [](const Row& row) { return row.time; });
      CAPTURE(count, spread);
      REQUIRE(rows == expected);
    }
  }
}

TEST_CASE("times that lie close together, far from a few others, are sorted") {
  std::mt19937_64 random(5);
  std::vector<Row> rows;
  for (uint32_t i = 0; i < 20'000; ++i)
    rows.push_back({static_cast<int64_t>(random() % 500) + (i % 5'000 == 0 ? 1LL << 44 : 0), i});
  std::vector<Row> expected = rows;
  const auto earlier = [](const Row& a, const Row& b) { return a.time < b.time; };
  std::stable_sort(expected.begin(), expected.end(), earlier);
  sort_by_time(rows, [](const Row& row) { return row.time; });
  CHECK(rows == expected);
}

TEST_CASE("ops find their launches whether correlation ids are dense or far apart") {
  for (const uint32_t step : {1u, 1'000'000u}) {
    Trace trace;
    for (uint32_t i = 1; i <= 3000; ++i) {
      const uint32_t id = 0u - i * step;  // near the wrap
      trace.calls.push_back(
          {10'000 - i, 1, id, trace.names.intern("outer"), 0, kNone, 0, Kind::api_call});
      trace.calls.push_back(
          {20'000 - i, 1, id, trace.names.intern("inner"), 0, kNone, 0, Kind::api_call});
      trace.calls.push_back(
          {5'000 - i, 1, id, trace.names.intern("wait"), 0, kNone, 0, Kind::sync});
      Op op;
      op.start_ns = 100'000 - i;
      op.correlation = id;
      op.kind = Kind::kernel;
      trace.ops.push_back(op);
    }
    Op orphan;
    orphan.start_ns = 500'000;
    orphan.correlation = 5;
    trace.ops.push_back(orphan);
    trace.finish();
    REQUIRE(trace.ops.size() == 3001);
    for (size_t i = 0; i < 3000; ++i) {
      const Op& op = trace.ops[i];
      REQUIRE(op.launch != kNone);
      REQUIRE(trace.calls[op.launch].correlation == op.correlation);
      REQUIRE(trace.names[trace.calls[op.launch].name] == "outer");
    }
    CHECK(trace.ops[3000].launch == kNone);
  }
}

TEST_CASE("an op so late that its end would overflow is impossible") {
  Trace trace;
  Op op;
  op.start_ns = INT64_MAX - 5;
  op.duration_ns = 10;
  op.kind = Kind::kernel;
  trace.ops.push_back(op);
  trace.finish();
  CHECK(trace.ops.empty());
  CHECK(trace.losses[Loss::bad_timestamp] == 1);
}
