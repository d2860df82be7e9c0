#include "analysis/findings/align.h"

#include <random>

#include "test/support/catch.h"

using namespace deepprof;

namespace {

using Symbols = std::vector<NameId>;

// The slow judge: the number of edits by dynamic programming.
size_t edits_between(const Symbols& a, const Symbols& b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1, 0));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) cost[i][j] = i + j;
      else if (a[i - 1] == b[j - 1]) cost[i][j] = cost[i - 1][j - 1];
      else cost[i][j] = 1 + std::min(cost[i - 1][j], cost[i][j - 1]);
    }
  }
  return cost[a.size()][b.size()];
}

// Every position once and in order, matches equal. Returns the number of edits.
size_t check(const Symbols& a, const Symbols& b, const std::vector<Aligned>& pairs) {
  uint32_t next_a = 0, next_b = 0;
  size_t edits = 0;
  for (const Aligned& pair : pairs) {
    if (pair.a != kNone) REQUIRE(pair.a == next_a++);
    if (pair.b != kNone) REQUIRE(pair.b == next_b++);
    if (pair.a != kNone && pair.b != kNone) REQUIRE(a[pair.a] == b[pair.b]);
    else ++edits;
  }
  REQUIRE(next_a == a.size());
  REQUIRE(next_b == b.size());
  return edits;
}

}  // namespace

TEST_CASE("equal sequences align one to one") {
  CHECK(align(Symbols{1, 2, 3}, Symbols{1, 2, 3}) == std::vector<Aligned>{{0, 0}, {1, 1}, {2, 2}});
  CHECK(align(Symbols{}, Symbols{}).empty());
}

TEST_CASE("an op that only one side has stands alone") {
  CHECK(align(Symbols{1, 2, 3}, Symbols{1, 3}) == std::vector<Aligned>{{0, 0}, {1, kNone}, {2, 1}});
  CHECK(align(Symbols{}, Symbols{5}) == std::vector<Aligned>{{kNone, 0}});
}

TEST_CASE("random sequences align with the fewest edits") {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    Symbols a(random() % 30), b(random() % 30);
    for (NameId& symbol : a) symbol = random() % 4;
    for (NameId& symbol : b) symbol = random() % 4;
    REQUIRE(check(a, b, align(a, b)) == edits_between(a, b));
  }
}

TEST_CASE("sequences that have nothing in common are laid side by side within the limit") {
  const Symbols a(5000, 1), b(5000, 2);
  const auto pairs = align(a, b, 100);
  CHECK(check(a, b, pairs) == 10000);
}
