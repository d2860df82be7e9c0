#include "analysis/pattern/edit.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "analysis/pattern/agreement.h"
#include "test/pattern/symbols.h"
#include "test/support/catch.h"

using deepprof::Edit;
using deepprof::kCompared;
using deepprof::kEditWindow;
using deepprof::short_edit;
using deepprof::single_edit;
using deepprof::test::counting;
using deepprof::test::Symbols;

namespace {

using Skips = std::pair<int, int>;

Skips skips(Edit edit) { return {edit.skip_ops, edit.skip_places}; }

bool confirmed(const Symbols& rest, const Symbols& expected, const Skips& edit, size_t by) {
  const auto [ops, places] = edit;
  return static_cast<size_t>(ops) + by <= rest.size() &&
         std::equal(rest.begin() + ops, rest.begin() + ops + static_cast<ptrdiff_t>(by),
                    expected.begin() + places);
}

// By definition: one edit after the other, in the order in which they are preferred.
Skips single_by_definition(const Symbols& rest, const Symbols& expected) {
  for (const Skips& edit : {Skips{1, 1}, Skips{1, 0}, Skips{0, 1}})
    if (confirmed(rest, expected, edit, 6)) return edit;
  return {};
}

Skips short_by_definition(const Symbols& rest, const Symbols& expected) {
  for (int longer = 1; longer <= static_cast<int>(kEditWindow); ++longer)
    for (int shorter = longer; shorter >= 0; --shorter)
      for (const Skips& edit : {Skips{longer, shorter}, Skips{shorter, longer}})
        if (confirmed(rest, expected, edit, 3)) return edit;
  return {};
}

}  // namespace

TEST_CASE("the edit that is found is the first by definition, up to the stream's end") {
  std::mt19937 random(11);
  int singles = 0, shorts = 0;
  for (int round = 0; round < 20'000; ++round) {
    const uint32_t letters = 2 + random() % 30;
    const auto draw = [&] { return 1 + static_cast<uint32_t>(random()) % letters; };
    Symbols expected(kCompared), rest;
    std::generate(expected.begin(), expected.end(), draw);
    const size_t skipped = random() % 3;
    for (size_t i = 0; i < random() % 8; ++i) rest.push_back(draw());
    for (size_t i = skipped; i < expected.size(); ++i)
      if (random() % 12 != 0) rest.push_back(expected[i]);
    rest.resize(random() % 2 == 0 ? rest.size() : random() % rest.size() + 1);
    const Skips single = single_by_definition(rest, expected);
    const Skips shortest = short_by_definition(rest, expected);
    singles += single != Skips{};
    shorts += shortest != Skips{};
    INFO("round " << round);
    REQUIRE(skips(single_edit(rest, expected.data())) == single);
    REQUIRE(skips(short_edit(rest, expected.data())) == shortest);
  }
  CHECK(singles > 1'000);
  CHECK(shorts > singles);
}

TEST_CASE("strings agree up to the first difference, the limit or the stream's end") {
  const Symbols pattern = counting(0, 200 + kCompared);
  for (const size_t length :
       {size_t{0}, size_t{1}, size_t{31}, size_t{32}, size_t{33}, size_t{200}}) {
    for (const size_t most :
         {size_t{0}, size_t{1}, size_t{32}, size_t{40}, size_t{64}, size_t{200}}) {
      for (const size_t differs :
           {size_t{0}, size_t{15}, size_t{16}, size_t{31}, size_t{32}, size_t{99}}) {
        CAPTURE(length, most, differs);
        Symbols stream(pattern.begin(), pattern.begin() + static_cast<ptrdiff_t>(length));
        if (differs < length) stream[differs] = 1'000;
        CHECK(deepprof::agreement(stream, pattern.data(), most) ==
              std::min({length, most, differs < length ? differs : length}));
      }
    }
  }
}
