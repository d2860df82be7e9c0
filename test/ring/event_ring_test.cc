#include "libdeepprof/ring/event_ring.h"

#include <thread>
#include <vector>

#include "test/support/catch.h"

namespace deepprof {
namespace {

Event numbered(uint32_t number, bool detail = false) {
  Event event;
  event.start_ns = number;
  event.correlation = number;
  event.set_kind(Kind::kernel, detail);
  return event;
}

std::vector<uint32_t> take_all(EventRing& ring) {
  std::vector<uint32_t> numbers;
  ring.drain(ring.published(),
             [&](const Event& event, const Detail*) { numbers.push_back(event.correlation); });
  return numbers;
}

}  // namespace

TEST_CASE("events come out in the order they went in") {
  EventRing ring(8);
  for (uint32_t i = 1; i <= 5; ++i) REQUIRE(ring.push(numbered(i), nullptr));
  CHECK(take_all(ring) == std::vector<uint32_t>{1, 2, 3, 4, 5});
  CHECK(ring.empty());
}

TEST_CASE("a full ring drops the newest event and counts it") {
  EventRing ring(4);
  for (uint32_t i = 1; i <= 6; ++i) CHECK(ring.push(numbered(i), nullptr) == (i <= 4));
  CHECK(ring.dropped() == 2);
  CHECK(take_all(ring) == std::vector<uint32_t>{1, 2, 3, 4});
}

TEST_CASE("an event with a detail that finds one free slot is dropped whole") {
  EventRing ring(4);
  const Detail detail;
  for (uint32_t i = 1; i <= 3; ++i) REQUIRE(ring.push(numbered(i), nullptr));
  CHECK_FALSE(ring.push(numbered(4, true), &detail));
  CHECK(ring.push(numbered(5), nullptr));
  CHECK(take_all(ring) == std::vector<uint32_t>{1, 2, 3, 5});
}

TEST_CASE("a detail stays with its event across the end of the ring") {
  EventRing ring(4);
  for (uint32_t i = 0; i < 3; ++i) REQUIRE(ring.push(numbered(i), nullptr));
  take_all(ring);
  Detail detail;
  detail.bytes = 4096;
  REQUIRE(ring.push(numbered(9, true), &detail));  // slots 3 and 0
  size_t seen = 0;
  ring.drain(ring.published(), [&](const Event& event, const Detail* got) {
    CHECK(event.correlation == 9);
    REQUIRE(got != nullptr);
    CHECK(*got == detail);
    ++seen;
  });
  CHECK(seen == 1);
}

TEST_CASE("events are built in the ring, empty at first, or beside it where it is full") {
  EventRing ring(4);
  const auto build = [&](uint32_t number, bool with_detail) {
    const EventPlace place = ring.place();
    CHECK(place.event.correlation == 0);
    CHECK(place.detail == Detail());
    place.event = numbered(number, with_detail);
    place.detail.bytes = number;
    return number == 0 || ring.push_built(with_detail);  // 0: left out
  };
  for (uint32_t round = 0; round < 3; ++round) {
    REQUIRE(build(1, true));
    REQUIRE(build(0, true));
    REQUIRE(build(2, false));
    CHECK_FALSE(build(3, true));
    CHECK(build(4, false));
    CHECK_FALSE(build(5, false));
    std::vector<uint32_t> details;
    const size_t taken =
        ring.drain(ring.published(), [&](const Event& event, const Detail* detail) {
          CHECK(event.has_detail() == (detail != nullptr));
          details.push_back(detail != nullptr ? static_cast<uint32_t>(detail->bytes) : 0);
        });
    CHECK(taken == 3);
    CHECK(details == std::vector<uint32_t>{1, 0, 0});
  }
  CHECK(ring.dropped() == 6);
}

TEST_CASE("drain stops at the position it was given") {
  EventRing ring(8);
  ring.push(numbered(1), nullptr);
  const uint64_t until = ring.published();
  ring.push(numbered(2), nullptr);
  CHECK(ring.drain(until, [](const Event&, const Detail*) {}) == 1);
  CHECK(take_all(ring) == std::vector<uint32_t>{2});
}

TEST_CASE("a capacity that is no power of two is rounded up") {
  CHECK(EventRing(100).capacity() == 128);
}

TEST_CASE("between two threads every event arrives once, in order, or is counted as dropped") {
  constexpr uint32_t kEvents = 1'000'000;
  EventRing ring(1024);
  std::atomic<bool> done{false};
  std::thread producer([&] {
    Detail detail;
    for (uint32_t i = 1; i <= kEvents; ++i) {
      const bool with_detail = i % 3 == 0;
      detail.bytes = i;
      if (i % 2 == 0) {
        ring.push(numbered(i, with_detail), with_detail ? &detail : nullptr);
      } else {
        const EventPlace place = ring.place();
        place.event = numbered(i, with_detail);
        place.detail.bytes = i;
        ring.push_built(with_detail);
      }
    }
    done = true;
  });
  uint64_t received = 0;
  uint32_t last = 0;
  bool in_order = true, details_match = true;
  const auto take = [&](const Event& event, const Detail* detail) {
    in_order &= event.correlation > last;
    details_match &= (detail != nullptr) == (event.correlation % 3 == 0);
    if (detail != nullptr) details_match &= detail->bytes == event.correlation;
    last = event.correlation;
    ++received;
  };
  while (!done.load()) ring.drain(ring.published(), take);
  ring.drain(ring.published(), take);
  producer.join();
  CHECK(in_order);
  CHECK(details_match);
  CHECK(received + ring.dropped() == kEvents);
  CHECK(received > 0);
}

}  // namespace deepprof
