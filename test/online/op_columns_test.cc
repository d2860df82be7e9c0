#include "analysis/online/op_columns.h"

#include <algorithm>
#include <random>
#include <vector>

#include "test/support/catch.h"

using deepprof::Event;
using deepprof::OpColumns;

namespace {

Event op(int64_t start_ns, int64_t duration_ns, uint32_t name) {
  Event event;
  event.start_ns = start_ns;
  event.set_duration(duration_ns);
  event.device = 3;
  event.set_kind(deepprof::Kind::memcpy, true);
  event.correlation = 0xffffffff - name;
  event.name = name;
  event.track = 7;
  return event;
}

// Ops that mostly run one behind the other; some overlap, some end before the one before them.
std::vector<Event> random_ops(size_t count, bool overlap) {
  std::mt19937 random(5);
  std::vector<Event> ops;
  int64_t at_ns = 1'000'000'000'000;
  for (size_t i = 0; i < count; ++i) {
    const auto duration_ns = static_cast<int64_t>(1 + random() % 1'000);
    if (overlap && random() % 4 == 0) at_ns -= static_cast<int64_t>(random() % 1'500);
    ops.push_back(op(at_ns, duration_ns, static_cast<uint32_t>(random())));
    at_ns += duration_ns + static_cast<int64_t>(random() % 3 * 100);
  }
  return ops;
}

// By definition: an op adds what of it lies behind all that ran before it.
int64_t busy_by_definition(const std::vector<Event>& ops) {
  int64_t busy_ns = 0, until_ns = INT64_MIN;
  for (const Event& event : ops) {
    busy_ns += std::max<int64_t>(0, event.end_ns() - std::max(until_ns, event.start_ns));
    until_ns = std::max(until_ns, event.end_ns());
  }
  return busy_ns;
}

}  // namespace

TEST_CASE("columns hold each op's name and duration, whatever else the event says") {
  const std::vector<Event> ops = random_ops(1'001, true);
  OpColumns columns;
  columns.read(ops);
  REQUIRE(columns.names().size() == ops.size());
  CHECK(columns.all_short());
  for (size_t i = 0; i < ops.size(); ++i) {
    CHECK(columns.names()[i] == ops[i].name);
    CHECK(columns.durations_ns()[i] == ops[i].duration_ns());
  }
}

TEST_CASE("an op of more than two seconds is no short one") {
  std::vector<Event> ops = random_ops(200, false);
  OpColumns columns;
  for (const int64_t long_ns : {int64_t{INT32_MAX}, int64_t{1} << 40}) {
    ops[150].set_duration(long_ns);
    columns.read(ops);
    CHECK_FALSE(columns.all_short());
  }
  ops[150].set_duration(INT32_MAX - 1);
  columns.read(ops);
  CHECK(columns.durations_ns()[150] == INT32_MAX - 1);
}

TEST_CASE("busy time is what ops cover, however they are handed over, and comes once") {
  for (const bool overlap : {false, true}) {
    const std::vector<Event> ops = random_ops(2'000, overlap);
    for (const size_t batch : {size_t{1}, size_t{7}, size_t{128}, size_t{500}, size_t{2'000}}) {
      CAPTURE(overlap, batch);
      OpColumns columns;
      int64_t busy_ns = 0;
      for (size_t at = 0; at < ops.size(); at += batch) {
        const size_t again = std::min<size_t>(at, 40);  // these come again, and add nothing
        const size_t count = std::min(batch, ops.size() - at);
        columns.read(std::span(ops).subspan(at - again, again + count));
        busy_ns += columns.busy_ns();
      }
      CHECK(busy_ns == busy_by_definition(ops));
    }
  }
}
