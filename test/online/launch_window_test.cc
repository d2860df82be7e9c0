#include "analysis/online/launch_window.h"

#include <algorithm>
#include <random>

#include "test/support/catch.h"

using namespace deepprof;

namespace {

// What leaves a window: correlation ids, in order.
class Released {
 public:
  void add(uint32_t correlation, uint32_t graph_node = 0, int64_t start_ns = 0) {
    Event op;
    op.correlation = correlation;
    op.graph_node = graph_node;
    op.start_ns = start_ns;
    window_.add(op, [this](std::span<const Event> ops) { take(ops); });
  }
  void add(const Event& op) {
    window_.add(op, [this](std::span<const Event> ops) { take(ops); });
  }
  const std::vector<Event>& all() {
    window_.release_all([this](std::span<const Event> ops) { take(ops); });
    return ops_;
  }
  size_t so_far() const { return ops_.size(); }
  bool has_released(uint32_t correlation) const {
    return std::any_of(ops_.begin(), ops_.end(),
                       [&](const Event& op) { return op.correlation == correlation; });
  }
  size_t late() {
    const auto& ops = all();
    size_t count = 0;
    for (size_t i = 1; i < ops.size(); ++i) count += ops[i].correlation < ops[i - 1].correlation;
    return count;
  }

 private:
  void take(std::span<const Event> ops) { ops_.insert(ops_.end(), ops.begin(), ops.end()); }

  LaunchWindow window_;
  std::vector<Event> ops_;
};

}  // namespace

TEST_CASE("ops that arrive thread by thread leave in launch order") {
  Released released;
  constexpr uint32_t kOps = 400'000, kBuffer = 5'000;
  for (uint32_t base = 0; base < kOps; base += 2 * kBuffer)
    for (const uint32_t thread : {1u, 0u})  // the second thread's buffer comes first
      for (uint32_t i = 0; i < kBuffer; ++i) released.add(1 + base + 2 * i + thread);
  REQUIRE(released.all().size() == kOps);
  CHECK(released.late() == 0);
}

TEST_CASE("the ops of a thread that launches little may come a whole flush later than the others") {
  Released released;
  constexpr uint32_t kFlush = 60'000, kEvery = 100;  // ops of all threads, and one of the slow one
  for (uint32_t flush = 0; flush < 12; ++flush) {
    const uint32_t base = 1 + flush * kFlush;
    for (uint32_t i = 0; i < kFlush; ++i)
      if (i % kEvery != 0) released.add(base + i);
    for (uint32_t i = 0; i < kFlush; i += kEvery) released.add(base + i);
  }
  REQUIRE(released.all().size() == 12 * kFlush);
  CHECK(released.late() == 0);
}

TEST_CASE("correlation ids that wrap leave in launch order") {
  Released released;
  constexpr uint32_t kOps = 500'000, kFirst = 0u - kOps / 2;
  for (uint32_t i = 0; i < kOps; ++i) released.add(kFirst + (i ^ 1));  // neighbours swapped
  const auto& ops = released.all();
  REQUIRE(ops.size() == kOps);
  // Id 0 is "none": it counts as the one that came before it.
  size_t wrong = 0;
  for (uint32_t i = 0; i < kOps; ++i) wrong += ops[i].correlation != kFirst + i;
  CHECK(wrong <= 1);
}

TEST_CASE(
    "ops of one graph launch leave in the order of its nodes, and an op without id stays put") {
  Released released;
  for (const uint32_t node : {3u, 1u, 2u}) released.add(7, node);
  released.add(5);
  released.add(8);
  released.add(0, 9);
  released.add(9);
  const auto& ops = released.all();
  std::vector<uint32_t> nodes;
  for (const Event& op : ops) nodes.push_back(op.graph_node);
  CHECK(nodes == std::vector<uint32_t>{0, 1, 2, 3, 0, 9, 0});
}

TEST_CASE("a job that launches little is seconds behind, not a window, and in launch order") {
  Released released;
  constexpr uint32_t kOps = 10'000;
  constexpr int64_t kEach_ns = 1'000'000;
  for (uint32_t i = 0; i < kOps; ++i) {
    const uint32_t place = i % 400 < 200 ? i + 200 : i - 200;  // two threads' buffers of 200 ms
    released.add(1 + place, 0, place * kEach_ns);
    const int64_t behind_ns =
        (static_cast<int64_t>(i) - static_cast<int64_t>(released.so_far())) * kEach_ns;
    if (behind_ns > 2 * LaunchWindow::kMostAge_ns + 1'000'000'000) FAIL(behind_ns << " ns behind");
  }
  REQUIRE(released.all().size() == kOps);
  CHECK(released.late() == 0);
}

namespace {

Op as_op(const Event& event) {
  Op op;
  op.start_ns = event.start_ns;
  op.duration_ns = event.duration_ns();
  op.correlation = event.correlation;
  op.stream = event.track;
  op.kind = Kind::kernel;
  return op;
}

}  // namespace

TEST_CASE("ops that overrun their stream stay behind: those that a reader of the file leaves out") {
  constexpr int64_t kSecond_ns = 1'000'000'000;
  std::mt19937_64 random(3);
  for (int round = 0; round < 20; ++round) {
    LaunchWindow window;
    std::vector<Event> released;
    const auto take = [&](std::span<const Event> ops) {
      released.insert(released.end(), ops.begin(), ops.end());
    };
    Trace trace;
    int64_t now_ns = kSecond_ns;
    for (uint32_t i = 1; i <= 3'000; ++i) {
      Event op;
      op.set_kind(Kind::kernel, false);
      op.correlation = i;
      op.track = static_cast<uint32_t>(random() % 4);
      now_ns += static_cast<int64_t>(random() % 20'000'000);
      op.start_ns = now_ns - static_cast<int64_t>(random() % 3 == 0 ? 0 : random() % 1'000'000);
      const bool is_long = random() % 50 == 0;
      op.set_duration(is_long ? static_cast<int64_t>(random() % (4 * kSecond_ns)) : 1'000);
      trace.ops.push_back(as_op(op));
      window.add(op, take);
    }
    window.release_all(take);
    trace.finish();
    const uint64_t dropped = drop_overruns(trace);
    CHECK(dropped > 0);
    CHECK(dropped < 60);
    std::vector<uint32_t> left, kept;
    for (const Event& op : released) left.push_back(op.correlation);
    for (const Op& op : trace.ops) kept.push_back(op.correlation);
    std::sort(left.begin(), left.end());
    std::sort(kept.begin(), kept.end());
    CHECK(left == kept);
  }
}

namespace {

Event long_op(uint32_t correlation, int64_t start_ns, int64_t duration_ns) {
  Event op;
  op.set_kind(Kind::kernel, false);
  op.correlation = correlation;
  op.track = 9;
  op.start_ns = start_ns;
  op.set_duration(duration_ns);
  return op;
}

}  // namespace

TEST_CASE("a long op on a stream that is quiet then leaves at the end") {
  Released released;
  released.add(long_op(5, 1, 3'600'000'000'000));
  for (uint32_t i = 0; i < 10'000; ++i) released.add(10 + i, 0, int64_t{i} * 1'000'000);
  CHECK(released.all().size() == 10'001);
}

TEST_CASE("a job of long ops is a few of them behind") {
  Released released;
  constexpr int64_t kEach_ns = 1'500'000'000;
  for (uint32_t i = 0; i < 100; ++i) released.add(long_op(1 + i, 1 + i * kEach_ns, kEach_ns));
  CHECK(released.so_far() > 90);
  CHECK(released.all().size() == 100);
  CHECK(released.late() == 0);
}

TEST_CASE("long ops among short ones are held no longer than these") {
  Released released;
  constexpr int64_t kSecond_ns = 1'000'000'000;
  int64_t now_ns = 1;
  for (uint32_t i = 0; i < 400; ++i) {
    const int64_t each_ns = i % 10 == 0 ? 10'000'000 : kSecond_ns + 1;
    released.add(long_op(1 + i, now_ns, each_ns));
    now_ns += each_ns;
  }
  CHECK(released.so_far() > 390);
  CHECK(released.late() == 0);
}

TEST_CASE("the last op of a stream, a long one, leaves when the device is far behind its end") {
  Released released;
  constexpr int64_t kEnd_ns = 3'000'000'000;
  released.add(long_op(5, 1, kEnd_ns - 1));
  constexpr int64_t kEach_ns = 1'000'000;
  uint32_t given = 0;
  for (int64_t now_ns = 0; now_ns < kEnd_ns + 4 * LaunchWindow::kMostAge_ns; now_ns += kEach_ns)
    released.add(10 + given++, 0, now_ns);
  CHECK(released.has_released(5));
}
