#include "libdeepprof/trace/let_go.h"

#include <random>
#include <set>

#include "test/support/catch.h"

using namespace deepprof;

namespace {

LaneSpans spans(int64_t first_ns, int64_t last_ns, uint32_t lane = 0) {
  LaneSpans lanes;
  lanes.add(LaneSpan{lane, first_ns, last_ns});
  return lanes;
}

LetGo stored_and_read(const LetGo& let_go) {
  ByteSink sink;
  let_go.encode(sink);
  LetGo back;
  REQUIRE(back.decode(sink.bytes()));
  return back;
}

}  // namespace

TEST_CASE("neighbouring segments become one run, whatever the order in which they are let go") {
  std::mt19937 random(5);
  std::vector<uint32_t> segments;
  for (uint32_t segment = 1; segment <= 40; ++segment) segments.push_back(segment);
  std::shuffle(segments.begin(), segments.end(), random);
  LetGo let_go;
  std::set<uint32_t> gone;
  for (const uint32_t segment : segments) {
    let_go.add(segment, 100, spans(10 * segment, 10 * segment + 5));
    gone.insert(segment);
    uint64_t events = 0;
    for (size_t i = 0; i < let_go.runs().size(); ++i) {
      const LetGoRun& run = let_go.runs()[i];
      events += run.events;
      REQUIRE(run.events == 100 * (run.last - run.first + 1));
      REQUIRE(run.lanes == spans(10 * run.first, 10 * run.last + 5));
      if (i > 0) REQUIRE(let_go.runs()[i - 1].last + 1 < run.first);
    }
    REQUIRE(events == 100 * gone.size());
    for (uint32_t other = 1; other <= 40; ++other)
      REQUIRE(let_go.holds(other) == (gone.count(other) == 1));
  }
  CHECK(let_go.runs().size() == 1);
}

TEST_CASE("what was let go comes back as it was stored") {
  LetGo let_go;
  let_go.add_earlier({3, 7, 9});
  let_go.add(4, 1000, spans(100, 200));
  let_go.add(5, 1, spans(INT64_MIN, INT64_MAX, LaneSpan::kHost));
  let_go.add(9, 0, {});
  const LetGo back = stored_and_read(let_go);
  CHECK(back.runs() == let_go.runs());
  CHECK(back.touches(0, 150, 160));
  CHECK_FALSE(back.touches(0, 201, 300));
  CHECK_FALSE(back.touches(1, 150, 160));
  CHECK_FALSE(back.holds(1));
}

TEST_CASE("a damaged list of what was let go is refused") {
  LetGo let_go;
  let_go.add(4, 1000, spans(100, 200));
  ByteSink sink;
  let_go.encode(sink);
  for (size_t size = 0; size < sink.size(); ++size) {
    LetGo back;
    CHECK_FALSE(back.decode(ByteSpan(sink.bytes()).first(size)));
  }
  sink.put(uint8_t{0});
  LetGo back;
  CHECK_FALSE(back.decode(sink.bytes()));
}

TEST_CASE("impossible times do not stretch what is known to be missing") {
  LaneSpan span{0};
  span.add_event(0, 5);
  span.add_event(100, -5);
  span.add_event(100, INT64_MAX);
  CHECK(span == LaneSpan{0});
  span.add_event(100, 5);
  CHECK(span == LaneSpan{0, 100, 105});
}

TEST_CASE("of ever so many losses those that are close together become one, each lane for itself") {
  constexpr int64_t kBursts = 40, kInBurst = 50, kFar_ns = 1'000'000;
  LetGo let_go;
  for (int64_t i = 0; i < kBursts * kInBurst; ++i) {
    const int64_t at_ns = i / kInBurst * kFar_ns + i % kInBurst * 100;
    for (const uint32_t lane : {0u, LaneSpan::kHost})
      let_go.add_earlier({lane, at_ns, at_ns + 10 + i % 7});
  }
  CHECK(let_go.runs().size() <= LetGo::kMostEarlier);
  for (const uint32_t lane : {0u, LaneSpan::kHost}) {
    for (int64_t burst = 0; burst < kBursts; ++burst) {
      const int64_t from_ns = burst * kFar_ns;
      CHECK_FALSE(let_go.touches(lane, from_ns + kFar_ns / 4, from_ns + kFar_ns / 2));
      for (int64_t i = 0; i < kInBurst; ++i) {
        const int64_t at_ns = burst * kFar_ns + i * 100;
        CHECK(let_go.touches(lane, at_ns, at_ns + 10));
      }
    }
  }
}

TEST_CASE("losses of a lane that touch are one") {
  LetGo let_go;
  let_go.add_earlier({0, 10, 20});
  let_go.add_earlier({0, 40, 50});
  let_go.add_earlier({1, 15, 45});
  CHECK(let_go.runs().size() == 3);
  let_go.add_earlier({0, 20, 40});
  CHECK(let_go.runs().size() == 2);
  CHECK_FALSE(let_go.touches(0, 51, 60));
  CHECK_FALSE(let_go.touches(0, 0, 9));
}
