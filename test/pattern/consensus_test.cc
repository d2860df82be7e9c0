#include "analysis/pattern/consensus.h"

#include <random>
#include <vector>

#include "test/pattern/symbols.h"
#include "test/support/catch.h"

using deepprof::Consensus;
using deepprof::make_pattern;
using deepprof::OpRange;
using deepprof::Pattern;
using deepprof::test::counting;
using deepprof::test::Symbols;

namespace {

// A string of iterations, and where each lies in it.
struct Text {
  void add(const Symbols& iteration, bool typical = true) {
    const auto first = static_cast<uint32_t>(symbols.size());
    symbols.insert(symbols.end(), iteration.begin(), iteration.end());
    tiles.push_back({first, static_cast<uint32_t>(symbols.size()), typical});
  }
  Consensus made(const Pattern& known = {}) const { return make_pattern(symbols, tiles, known); }

  Symbols symbols;
  std::vector<OpRange> tiles;
};

Symbols ops(const Pattern& pattern, uint32_t iteration) {
  const auto span = pattern.ops(iteration);
  return {span.begin(), span.end()};
}

}  // namespace

TEST_CASE("of iterations with noise the pattern is the one without") {
  std::mt19937 random(3);
  const Symbols step = counting(1, 200);
  Text text;
  for (int i = 0; i < 30; ++i) {
    Symbols noisy;
    for (const uint32_t op : step) {
      const auto draw = random() % 100;  // 4 %: deleted, replaced, or behind another op
      if (draw == 0) continue;
      if (draw == 1 || draw == 2) noisy.push_back(500 + random() % 50);
      if (draw != 1) noisy.push_back(op);
    }
    text.add(noisy);
  }
  const Consensus made = text.made();
  REQUIRE(made.pattern.size() == 1);
  CHECK(ops(made.pattern, 0) == step);
  CHECK(made.alone == 0);
}

TEST_CASE("iterations of two kinds stay apart, the more frequent first, each with its successor") {
  const Symbols training = counting(1, 100), evaluation = counting(200, 40);
  Text text;
  for (int i = 0; i < 10; ++i) {
    text.add(evaluation);
    text.add(training);
    text.add(training);
  }
  const Pattern pattern = text.made().pattern;
  REQUIRE(pattern.size() == 2);
  CHECK(ops(pattern, 0) == training);
  CHECK(ops(pattern, 1) == evaluation);
  CHECK(pattern.successor(1) == 0);
}

TEST_CASE("several iterations in a row that nobody cut are no kind of their own") {
  const Symbols step = counting(1, 100);
  Symbols twice = step;
  twice.insert(twice.end(), step.begin(), step.end());
  Text text;
  for (int i = 0; i < 10; ++i) text.add(step);
  text.add(twice);
  text.add(twice);
  CHECK(text.made().pattern.size() == 1);
}

TEST_CASE("warm-up is no example, and kinds seen once are counted as such") {
  Text text;
  text.add(counting(500, 300), false);
  for (int i = 0; i < 5; ++i) text.add(counting(1, 100));
  text.add(counting(200, 80));
  text.add(counting(300, 90));
  const Consensus made = text.made();
  CHECK(made.alone == 2);
  REQUIRE(made.pattern.size() == 3);
  CHECK(ops(made.pattern, 0) == counting(1, 100));
}

TEST_CASE("iterations that are known stay in front") {
  const Pattern known({counting(200, 80)}, {0});
  Text text;
  for (int i = 0; i < 5; ++i) text.add(counting(1, 100));
  text.add(counting(200, 80));
  const Pattern pattern = text.made(known).pattern;
  REQUIRE(pattern.size() == 2);
  CHECK(ops(pattern, 0) == counting(200, 80));
  CHECK(ops(pattern, 1) == counting(1, 100));
}

TEST_CASE("iterations beyond the limits of a pattern are left out") {
  std::vector<Symbols> iterations(Pattern::kMaxIterations + 3, counting(1, 10));
  CHECK(Pattern(iterations, {}).size() == Pattern::kMaxIterations);
  const Symbols half(Pattern::kMaxOps / 2, 1);
  CHECK(Pattern({half, half, {1}}, {}).size() == 2);
}
