#include "analysis/report/quantity.h"

#include <cmath>
#include <numeric>
#include <random>

#include "test/support/catch.h"

using namespace deepprof;

TEST_CASE("times read with the digits that people compare") {
  CHECK(time_text(812) == "812 ns");
  CHECK(time_text(9'120) == "9.12 us");
  CHECK(time_text(318'400'000) == "318.4 ms");
  CHECK(time_text(1'912'000'000) == "1.912 s");
  CHECK(time_text(-45'000) == "-45.0 us");
  CHECK(time_text(0) == "0 ns");
  CHECK(time_text(INT64_MIN) == "-" + time_text(INT64_MAX));
}

TEST_CASE("rounded parts add up, and none is told wrong by a unit") {
  CHECK(rounded_to_sum(std::vector<int64_t>{1, 1, 1}, 0.03, 100) ==
        std::vector<int64_t>{34, 33, 33});
  CHECK(rounded_to_sum(std::vector<int64_t>{335, 336, 329}, 100, 10) ==
        std::vector<int64_t>{3, 4, 3});
  CHECK(rounded_to_sum(std::vector<int64_t>{0, 0}, 1, 0) == std::vector<int64_t>{0, 0});
  CHECK(rounded_to_sum(std::vector<int64_t>{}, 1, 0).empty());
  // Eight parts rounded down are four units short: no part may have them all.
  CHECK(rounded_to_sum(std::vector<int64_t>{4704, 1344, 244, 144, 44, 44, 44, 44}, 10, 661)[0] <=
        471);
  std::mt19937_64 random(5);
  for (int round = 0; round < 1000; ++round) {
    std::vector<int64_t> parts(1 + random() % 9);
    for (int64_t& part : parts)
      part = 1 + static_cast<int64_t>(random() % (uint64_t{1} << (random() % 50)));
    const int64_t sum = std::accumulate(parts.begin(), parts.end(), int64_t{0});
    const auto rounded = rounded_to_sum(parts, static_cast<double>(sum) / 1000, 1000);
    REQUIRE(std::accumulate(rounded.begin(), rounded.end(), int64_t{0}) == 1000);
    for (size_t i = 0; i < parts.size(); ++i) {
      REQUIRE(rounded[i] >= 0);
      const double exact = static_cast<double>(parts[i]) * 1000 / static_cast<double>(sum);
      REQUIRE(std::abs(static_cast<double>(rounded[i]) - exact) < 1.000001);
    }
  }
}

TEST_CASE("a column prints means that add up to its total") {
  const TimeColumn times(std::vector<int64_t>{2'000'000'000, 1'000'000'004, 500}, 10);
  CHECK(times.total() == "300.0 ms");
  CHECK(times.part(0) == "200.0 ms");
  CHECK(times.part(1) == "100.0 ms");
  CHECK(times.part(2) == "  0.0 ms");
}

TEST_CASE(
    "the column of a part adds up to what the whole prints for it, or is finer where that says too "
    "little") {
  const std::vector<int64_t> parts{7'000'000, 3'664'200}, small{9'990'000, 12'345};
  const TimeColumn whole(parts, 1), mostly(small, 1);
  CHECK(TimeColumn(std::vector<int64_t>{2'770'000, 894'200}, 1, whole, 1).total() + " " ==
        whole.part(1).substr(1) + " ");
  CHECK(TimeColumn(std::vector<int64_t>{12'345}, 1, mostly, 1).total() == "12.35 us");
}
