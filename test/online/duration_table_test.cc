#include "analysis/online/duration_table.h"

#include <array>
#include <random>
#include <vector>

#include "test/support/catch.h"

using deepprof::DurationStats;
using deepprof::DurationTable;

namespace {

// Of any of so many octaves, now and then at their borders.
int32_t some_duration(std::mt19937_64& random, uint32_t octaves) {
  const auto octave = random() % octaves;
  const int64_t border = int64_t{1} << octave;
  const auto duration = random() % 4 == 0
                            ? border - static_cast<int64_t>(random() % 2)
                            : static_cast<int64_t>(random() % static_cast<uint64_t>(border));
  return static_cast<int32_t>(std::min<int64_t>(duration, INT32_MAX - 1));
}

}  // namespace

TEST_CASE("rows of ops leave in the table what each op by itself leaves in its statistics") {
  constexpr size_t kPositions = 300;
  std::mt19937_64 random(1);
  DurationTable table;
  table.resize(kPositions);
  std::vector<DurationStats> expected(kPositions);
  for (int run = 0; run < 6'000; ++run) {
    // Everything that 32 bits hold; what is added together; what is usual.
    const uint32_t octaves = std::array{32u, 29u, 0u, 0u}[static_cast<size_t>(run) % 4];
    const size_t first = random() % kPositions;
    std::vector<int32_t> durations(random() % (kPositions - first) + 1);
    for (size_t i = 0; i < durations.size(); ++i) {
      if (random() % 20 == 0) {
        durations[i] = DurationTable::kMissing;
        continue;
      }
      durations[i] = octaves > 0 ? some_duration(random, octaves)
                                 : static_cast<int32_t>(900 * (first + i) + random() % 1'000);
      expected[first + i].add(durations[i]);
    }
    table.add(first, durations);
    if (run % 100 == 0) {  // too long for 32 bits
      const int64_t hours_ns = static_cast<int64_t>(random() % 20) * 3'600'000'000'000 + INT32_MAX;
      table.add(first, hours_ns);
      expected[first].add(hours_ns);
    }
  }
  for (size_t i = 0; i < kPositions; ++i) {
    INFO("position " << i);
    CHECK(table[i] == expected[i]);
  }
}

TEST_CASE("repetitions that wait are seen like those that were added") {
  DurationTable table, restored;
  table.resize(5);
  restored.resize(5);
  std::array<DurationStats, 5> expected;
  for (int repetition = 0; repetition < 20; ++repetition) {
    const std::array<int32_t, 3> durations{repetition, DurationTable::kMissing, 1'000 + repetition};
    table.add(1, durations);
    expected[1].add(durations[0]);
    expected[3].add(durations[2]);
    for (size_t i = 0; i < expected.size(); ++i) CHECK(table[i] == expected[i]);
  }
  for (size_t i = 0; i < expected.size(); ++i) restored.set(i, expected[i]);
  CHECK(restored == table);
}

TEST_CASE("a position that only saw durations of hours takes a short one as its least") {
  DurationTable table;
  table.resize(1);
  table.add(0, int64_t{1} << 42);
  const int32_t longest = INT32_MAX - 1;
  table.add(0, std::span(&longest, 1));
  CHECK(table[0].min_ns == longest);
  CHECK(table[0].max_ns == int64_t{1} << 42);
}
