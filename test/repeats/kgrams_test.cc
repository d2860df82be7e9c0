#include "analysis/repeats/kgrams.h"

#include <map>
#include <vector>

#include "test/support/catch.h"
#include "test/support/job.h"

using namespace deepprof;

namespace {

// Every repeated k-gram and its positions, by comparing all.
std::map<std::vector<uint32_t>, std::vector<uint32_t>> naive(const std::vector<uint32_t>& symbols,
                                                             uint32_t k) {
  std::map<std::vector<uint32_t>, std::vector<uint32_t>> result;
  for (uint32_t at = 0; at + k <= symbols.size(); ++at) {
    result[{symbols.begin() + at, symbols.begin() + at + k}].push_back(at);
  }
  std::erase_if(result, [](const auto& entry) { return entry.second.size() < 2; });
  return result;
}

}  // namespace

TEST_CASE("groups are the repeated k-grams, without those that a shorter one has whole") {
  test::Random random(3);
  for (int round = 0; round < 200; ++round) {
    const auto alphabet = static_cast<uint32_t>(random.between(1, 5));
    std::vector<uint32_t> symbols;
    for (int i = random.between(0, 80); i > 0; --i)
      symbols.push_back(static_cast<uint32_t>(random.next() % alphabet));
    const KgramGroups found = find_kgrams(symbols, alphabet, 1000);
    std::map<uint32_t, size_t> by_length;
    for (const KgramGroup& group : found.groups) {
      const auto at = found.of(group);
      const auto expected = naive(symbols, group.length);
      const std::vector<uint32_t> stretch(symbols.begin() + at[0],
                                          symbols.begin() + at[0] + group.length);
      REQUIRE(expected.count(stretch) == 1);
      CHECK(expected.at(stretch) == std::vector<uint32_t>(at.begin(), at.end()));
      ++by_length[group.length];
    }
    CHECK(by_length[1] == naive(symbols, 1).size());
    // Of length 2, those that share their occurrences with their first symbol are left out.
    size_t own = 0;
    for (const auto& [stretch, at] : naive(symbols, 2))
      own += at.size() != naive(symbols, 1)[{stretch[0]}].size();
    CHECK(by_length[2] == own);
  }
}

TEST_CASE("groups of too many occurrences are left out") {
  const std::vector<uint32_t> symbols{0, 0, 0, 0, 1, 1};
  for (const KgramGroup& group : find_kgrams(symbols, 2, 2).groups) CHECK(group.count() == 2);
}
