#include "analysis/pattern/follower.h"

#include <random>
#include <vector>

#include "test/pattern/symbols.h"
#include "test/support/catch.h"

using deepprof::Follower;
using deepprof::FollowSink;
using deepprof::Pattern;
using deepprof::PatternPlace;
using deepprof::test::counting;
using deepprof::test::Symbols;

namespace {

Symbols operator+(Symbols a, const Symbols& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// What was told of a stream, op by op. Ops must be told in order, each once.
struct Told : FollowSink {
  void begins(size_t at, uint32_t iteration) override {
    CHECK(offset + at == next);
    iterations.push_back(iteration);
  }
  void turns_into(uint32_t iteration) override { iterations.back() = iteration; }
  void matched(size_t first, size_t count, PatternPlace place) override {
    CHECK(offset + first == next);
    next += count;
    explained += count;
    last_place = place.position + static_cast<uint32_t>(count);
  }
  void unexplained(size_t first, size_t count) override {
    CHECK(offset + first == next);
    next += count;
  }

  size_t offset = 0, next = 0, explained = 0;
  uint32_t last_place = 0;
  Symbols iterations;
};

Told follow(const Pattern& pattern, const Symbols& stream, size_t batch = SIZE_MAX) {
  Told told;
  Follower follower(pattern);
  const std::span<const uint32_t> all(stream);
  for (size_t given = 0; given < all.size();) {
    given += std::min(batch, all.size() - given);
    const auto rest = all.subspan(told.offset, given - told.offset);
    told.offset += follower.follow(rest, given == all.size(), told);
  }
  CHECK(told.next == stream.size());
  return told;
}

}  // namespace

TEST_CASE("a stream that repeats the pattern is explained op by op") {
  const Symbols step = counting(1, 50);
  const Told told = follow(Pattern({step}, {0}), step + step + step);
  CHECK(told.iterations == Symbols{0, 0, 0});
  CHECK(told.explained == 150);
  CHECK(told.last_place == 50);
}

TEST_CASE("an op too many, one that is missing and one replaced cost no other") {
  const Symbols step = counting(1, 50);
  Symbols more = step, less = step, other = step;
  more.insert(more.begin() + 20, 99);
  less.erase(less.begin() + 20);
  other[20] = 99;
  const Told told = follow(Pattern({step}, {0}), step + more + less + other + step);
  CHECK(told.iterations == Symbols{0, 0, 0, 0, 0});
  CHECK(told.explained == 5 * 50 - 2);
}

TEST_CASE("an iteration is told from one that shares its beginning when they differ") {
  const Symbols training = counting(1, 60);
  const Symbols evaluation = counting(1, 20) + counting(100, 20);
  const Told told =
      follow(Pattern({training, evaluation}, {0, 0}), training + evaluation + training);
  CHECK(told.iterations == Symbols{0, 1, 0});
  CHECK(told.explained == 160);
}

TEST_CASE("behind ops that no pattern holds the place is found again") {
  const Symbols step = counting(1, 200);
  const Symbols tail(step.begin() + 100, step.end());
  const Told told = follow(Pattern({step}, {0}), step + counting(1'000, 500) + tail + step);
  CHECK(told.explained == 500);
  CHECK(told.iterations == Symbols{0, 0, 0});  // the tail is an iteration whose beginning was lost
}

TEST_CASE("ops that repeat at a boundary do not make another iteration") {
  const Symbols step = counting(1, 100);
  const Symbols again(step.end() - 12, step.end());
  const Told told = follow(Pattern({step}, {0}), step + step + again + step);
  CHECK(told.iterations == Symbols{0, 0, 0});
}

TEST_CASE("what is told does not depend on how the stream is divided") {
  std::mt19937 random(7);
  const Symbols step = counting(1, 70) + counting(1, 30) + counting(80, 40);
  Symbols stream;
  for (int i = 0; i < 200; ++i)
    for (const uint32_t op : step)
      if (random() % 20 != 0) stream.push_back(random() % 20 == 0 ? 1 + random() % 120 : op);
  const Pattern pattern({step}, {0});
  const Told whole = follow(pattern, stream);
  CHECK(whole.iterations.size() == 200);
  for (const size_t batch : {size_t{1}, size_t{79}, size_t{80}, size_t{1'000}}) {
    const Told parts = follow(pattern, stream, batch);
    CHECK(parts.iterations == whole.iterations);
    CHECK(parts.explained == whole.explained);
  }
}

TEST_CASE("without a pattern nothing is explained") {
  const Told told = follow(Pattern(), counting(1, 300));
  CHECK(told.explained == 0);
  CHECK(told.iterations.empty());
}
