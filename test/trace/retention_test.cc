#include "libdeepprof/trace/retention.h"

#include <algorithm>
#include <deque>
#include <random>

#include "test/support/catch.h"

using namespace deepprof;

namespace {

// A file of `kRoom` bytes of segments; segment n holds the ops of device 0 from 100 n to 100 n + 99
// and the host's calls of the same time.
class File {
 public:
  static constexpr uint64_t kRoom = 3200;
  Retention retention;

  void write(int segments, uint64_t bytes = 100) {
    for (int i = 0; i < segments; ++i) write_one(bytes);
  }
  bool holds(uint32_t number) const {
    return std::any_of(held_.begin(), held_.end(),
                       [&](const auto& s) { return s.number == number; });
  }
  uint64_t bytes() const {
    uint64_t sum = 0;
    for (const auto& segment : held_) sum += segment.bytes;
    return sum;
  }
  // Of the segments that were written last without a hole.
  uint64_t newest_bytes() const {
    uint64_t sum = 0;
    for (size_t i = held_.size(); i-- > 0;) {
      if (held_[i].number + (held_.size() - 1 - i) != last_) break;
      sum += held_[i].bytes;
    }
    return sum;
  }
  uint32_t last() const { return last_; }
  const LetGo& gone() const { return gone_; }

 private:
  struct Segment {
    uint32_t number;
    uint64_t bytes;
    LaneSpans lanes;
  };
  void write_one(uint64_t bytes) {
    Segment next{++last_, bytes, {}};
    const int64_t start = 100 * int64_t{last_};
    next.lanes.add({0, start, start + 99});
    next.lanes.add({LaneSpan::kHost, start, start + 99});
    held_.push_back(std::move(next));
    while (this->bytes() > kRoom) {
      std::vector<HeldSegment> segments;
      for (const Segment& s : held_) segments.push_back({s.number, s.bytes, &s.lanes});
      const size_t at = retention.choose(segments, gone_);
      REQUIRE(at + 1 < held_.size());
      gone_.add(held_[at].number, 1, held_[at].lanes);
      held_.erase(held_.begin() + static_cast<ptrdiff_t>(at));
    }
  }
  std::deque<Segment> held_;
  LetGo gone_;
  uint32_t last_ = 0;
};

// In the middle of a segment.
SlowStretch slow_in(uint32_t segment, int64_t excess_ns) {
  return {0, 100 * int64_t{segment} + 40, 100 * int64_t{segment} + 60, excess_ns};
}

}  // namespace

TEST_CASE("without slow iterations the first segments and the newest stay") {
  File file;
  file.write(500);
  CHECK(file.holds(1));
  CHECK(file.holds(2));
  CHECK_FALSE(file.holds(3));
  CHECK(file.newest_bytes() == File::kRoom - 200);
}

TEST_CASE("the segment of a slow iteration stays") {
  File file;
  file.write(40);
  file.retention.keep_slowest(std::vector{slow_in(30, 7)});
  file.write(500);
  CHECK(file.holds(30));
  CHECK_FALSE(file.holds(29));
  CHECK_FALSE(file.holds(31));
}

TEST_CASE("a slow iteration that lies in several segments stays whole or not at all") {
  File file;
  file.write(40);
  const SlowStretch in_three{0, 3050, 3250, 7}, in_twelve{0, 1450, 2550, 9};
  file.retention.keep_slowest(std::vector{in_three, in_twelve});
  file.write(500);
  for (const uint32_t segment : {30, 31, 32}) CHECK(file.holds(segment));
  for (uint32_t segment = 14; segment <= 25; ++segment) CHECK_FALSE(file.holds(segment));
}

TEST_CASE("slower iterations take the room of those that were less slow") {
  File file;
  std::vector<SlowStretch> slowest;
  for (uint32_t segment = 20; segment < 400; segment += 10) {
    file.write(static_cast<int>(segment + 5 - file.last()));
    slowest.push_back(slow_in(segment, segment));
    file.retention.keep_slowest(slowest);
  }
  file.write(100);
  // The eight slowest: a quarter of the room.
  for (uint32_t segment = 320; segment < 400; segment += 10) CHECK(file.holds(segment));
  CHECK_FALSE(file.holds(310));
  CHECK_FALSE(file.holds(20));
}

TEST_CASE("a slow iteration that is told too late keeps nothing") {
  File file;
  file.write(200);
  REQUIRE_FALSE(file.holds(50));
  const SlowStretch half_gone{0, 5050, 20050, 1000};
  file.retention.keep_slowest(std::vector{slow_in(50, 900), half_gone});
  file.write(200);
  CHECK_FALSE(file.holds(200));
  CHECK(file.newest_bytes() == File::kRoom - 200);
}

TEST_CASE("whatever is slow, the file keeps its ceiling and half of it the newest events") {
  std::mt19937 random(17);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  for (int round = 0; round < 50; ++round) {
    File file;
    std::vector<SlowStretch> slowest;
    for (int step = 0; step < 100; ++step) {
      file.write(static_cast<int>(below(20)), 40 + below(60));
      SlowStretch slow = slow_in(1 + below(file.last() + 3), below(1000));
      slow.to_ns += below(1000);
      slowest.push_back(slow);
      file.retention.keep_slowest(slowest);
      REQUIRE(file.bytes() <= File::kRoom);
      if (file.gone().runs().empty()) continue;
      REQUIRE(file.newest_bytes() + 100 >= file.bytes() / 2);
      REQUIRE(file.holds(1));
      REQUIRE(file.gone().runs().size() <= 34);
    }
  }
}

TEST_CASE("a file of few segments lets one go even so") {
  Retention retention;
  LaneSpans lanes;
  lanes.add({0, 100, 110});
  const std::vector<HeldSegment> segments{{1, 900, &lanes}, {2, 10, &lanes}, {3, 10, &lanes}};
  CHECK(retention.choose(std::span(segments).first(2), {}) == 0);
  CHECK(retention.choose(segments, {}) == 1);
}
