#include "analysis/repeats/runs.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "test/support/catch.h"
#include "test/support/job.h"

using namespace deepprof;
using deepprof::test::Random;

namespace {

// By definition: every period, smallest first, extended from every place.
std::vector<Run> naive_runs(const std::vector<uint32_t>& s) {
  std::vector<Run> runs;
  const auto size = static_cast<uint32_t>(s.size());
  for (uint32_t period = 1; 2 * period <= size; ++period) {
    for (uint32_t first = 0; first + period < size;) {
      uint32_t last = first + period;
      while (last < size && s[last] == s[last - period]) ++last;
      if (last - first >= 2 * period) {
        const Run run{first, last, period};
        const bool has_smaller = std::any_of(runs.begin(), runs.end(), [&](const Run& other) {
          return other.first <= run.first && other.last >= run.last &&
                 run.period % other.period == 0;
        });
        if (!has_smaller) runs.push_back(run);
      }
      first = last - period + 1;
    }
  }
  std::sort(runs.begin(), runs.end());
  return runs;
}

std::vector<Run> runs_of(std::string_view word) {
  std::vector<uint32_t> symbols;
  for (const char c : word) symbols.push_back(static_cast<uint32_t>(c - 'a'));
  return find_runs(symbols, 26);
}

}  // namespace

TEST_CASE("the runs of a word are its maximal repetitions, each with its smallest period") {
  CHECK(runs_of("").empty());
  CHECK(runs_of("a").empty());
  CHECK(runs_of("abc").empty());
  CHECK(runs_of("aa") == std::vector<Run>{{0, 2, 1}});
  CHECK(runs_of("xabababy") == std::vector<Run>{{1, 7, 2}});
  CHECK(runs_of("mississippi") == std::vector<Run>{{1, 8, 3}, {2, 4, 1}, {5, 7, 1}, {8, 10, 1}});
}

TEST_CASE("runs equal those by definition on random and periodic words") {
  Random random(3);
  for (int round = 0; round < 3000; ++round) {
    const int size = random.between(0, 40), alphabet = random.between(1, 4),
              period = random.between(1, 9);
    std::vector<uint32_t> symbols;
    for (int i = 0; i < size; ++i) {
      const bool repeats = i >= period && random.chance(round % 2 == 0 ? .9 : .3);
      const auto drawn = static_cast<uint32_t>(random.between(0, alphabet - 1));
      symbols.push_back(repeats ? symbols[static_cast<size_t>(i - period)] : drawn);
    }
    CAPTURE(symbols);
    REQUIRE(find_runs(symbols, static_cast<uint32_t>(alphabet)) == naive_runs(symbols));
  }
}

TEST_CASE("a hundred thousand equal symbols are one run") {
  const std::vector<uint32_t> symbols(100'000, 0);
  CHECK(find_runs(symbols, 1) == std::vector<Run>{{0, 100'000, 1}});
}
