#include "analysis/suffix/suffix_array.h"

#include <algorithm>
#include <random>

#include "analysis/suffix/lcp.h"
#include "test/suffix/naive.h"
#include "test/support/catch.h"

using deepprof::test::Text;

namespace {

struct Built {
  std::vector<int32_t> sa, lcp, plcp;
};

Built build(const Text& text, uint32_t alphabet) {
  Built built{std::vector<int32_t>(text.size(), -7), std::vector<int32_t>(text.size(), -7),
              std::vector<int32_t>(text.size(), -7)};
  deepprof::build_suffix_array(text, alphabet, built.sa);
  deepprof::build_lcp(text, built.sa, built.lcp, built.plcp);
  return built;
}

// True when both arrays are what comparing whole suffixes gives. A plain bool keeps 10^4 inputs
// quick.
bool agrees_with_naive(const Text& text, uint32_t alphabet) {
  const Built built = build(text, alphabet);
  if (built.sa != deepprof::test::naive_suffix_array(text)) return false;
  if (built.lcp != deepprof::test::naive_lcp(text, built.sa)) return false;
  for (size_t r = 0; r < text.size(); ++r)
    if (built.plcp[static_cast<size_t>(built.sa[r])] != built.lcp[r]) return false;
  return true;
}

// Checks in linear time that each value is a common prefix and that the symbols behind it differ.
// The symbols compared add up to the sum of the rises of plcp, which is below 2 * n.
bool is_plcp(const Text& text, const Built& built) {
  const size_t n = text.size();
  for (size_t r = 1; r < n; ++r) {
    const auto a = static_cast<size_t>(built.sa[r - 1]), b = static_cast<size_t>(built.sa[r]);
    const auto length = static_cast<size_t>(built.lcp[r]);
    const size_t most = n - std::max(a, b);
    if (length > most || (length < most && text[a + length] == text[b + length])) return false;
    const size_t known =
        b > 0 && built.plcp[b - 1] > 0 ? static_cast<size_t>(built.plcp[b - 1]) - 1 : 0;
    if (known > length || !std::equal(&text[a] + known, &text[a] + length, &text[b] + known))
      return false;
  }
  return built.lcp[0] == 0;
}

// Checks in linear time: a permutation whose neighbours are in order by first symbol, then by the
// rank of the rest. That is the definition of a suffix array.
bool is_suffix_array(const Text& text, const std::vector<int32_t>& sa) {
  const auto n = static_cast<int32_t>(text.size());
  std::vector<int32_t> rank(text.size() + 1, -2);
  rank[text.size()] = -1;
  for (int32_t r = 0; r < n; ++r) {
    const int32_t p = sa[static_cast<size_t>(r)];
    if (p < 0 || p >= n || rank[static_cast<size_t>(p)] != -2) return false;
    rank[static_cast<size_t>(p)] = r;
  }
  for (size_t r = 1; r < text.size(); ++r) {
    const auto a = static_cast<size_t>(sa[r - 1]), b = static_cast<size_t>(sa[r]);
    if (text[a] > text[b] || (text[a] == text[b] && rank[a + 1] >= rank[b + 1])) return false;
  }
  return true;
}

class Texts {
 public:
  explicit Texts(uint32_t seed) : random_(seed) {}

  uint32_t below(uint32_t bound) { return static_cast<uint32_t>(random_() % bound); }
  Text random(size_t n, uint32_t alphabet) {
    Text text(n);
    for (uint32_t& symbol : text) symbol = below(alphabet);
    return text;
  }
  // A repeated pattern; each symbol is replaced by a random one with probability 1 / `rarity` (0:
  // never).
  Text periodic(size_t n, size_t period, uint32_t alphabet, uint32_t rarity) {
    const Text pattern = random(period, alphabet);
    Text text(n);
    for (size_t i = 0; i < n; ++i)
      text[i] = rarity > 0 && below(rarity) == 0 ? below(alphabet) : pattern[i % period];
    return text;
  }

 private:
  std::mt19937_64 random_;
};

Text fibonacci_word(size_t n) {
  Text word{0}, before{1};
  while (word.size() < n) {
    Text longer = word;
    longer.insert(longer.end(), before.begin(), before.end());
    before = std::move(word);
    word = std::move(longer);
  }
  word.resize(n);
  return word;
}

Text thue_morse_word(size_t n) {
  Text word(n);
  for (size_t i = 0; i < n; ++i) word[i] = static_cast<uint32_t>(__builtin_popcountll(i) & 1);
  return word;
}

}  // namespace

TEST_CASE("the empty text and single symbols have trivial suffix arrays") {
  CHECK(build({}, 1).sa.empty());
  CHECK(build({0}, 1).sa == std::vector<int32_t>{0});
  CHECK(build({5}, 6).lcp == std::vector<int32_t>{0});
}

TEST_CASE("a known word is ordered as on paper") {
  // "banana": a < ana < anana < banana < na < nana
  const Built built = build({1, 0, 2, 0, 2, 0}, 3);
  CHECK(built.sa == std::vector<int32_t>{5, 3, 1, 0, 4, 2});
  CHECK(built.lcp == std::vector<int32_t>{0, 1, 3, 0, 0, 2});
}

TEST_CASE(
    "every text of up to eight symbols over up to three letters agrees with the naive builder") {
  for (uint32_t alphabet = 1; alphabet <= 3; ++alphabet) {
    for (size_t n = 1; n <= 8; ++n) {
      Text text(n, 0);
      bool carried = false;
      while (!carried) {
        if (!agrees_with_naive(text, alphabet)) FAIL(Catch::Detail::stringify(text));
        carried = true;
        for (size_t i = 0; i < n && carried; ++i) {
          carried = ++text[i] == alphabet;
          if (carried) text[i] = 0;
        }
      }
    }
  }
  SUCCEED();
}

TEST_CASE("ten thousand random texts agree with the naive builder") {
  Texts texts(1);
  for (int i = 0; i < 10'000; ++i) {
    const uint32_t alphabet = 1 + texts.below(i % 2 == 0 ? 4 : 300);
    const Text text = texts.random(1 + texts.below(120), alphabet);
    if (!agrees_with_naive(text, alphabet)) FAIL(Catch::Detail::stringify(text));
  }
  SUCCEED();
}

TEST_CASE("ten thousand periodic and noisy texts agree with the naive builder") {
  Texts texts(2);
  for (int i = 0; i < 10'000; ++i) {
    const uint32_t alphabet = 1 + texts.below(i % 2 == 0 ? 4 : 60);
    const uint32_t rarity = i % 3 == 0 ? 0 : 5 + texts.below(100);
    const Text text = texts.periodic(1 + texts.below(250), 1 + texts.below(40), alphabet, rarity);
    if (!agrees_with_naive(text, alphabet)) FAIL(Catch::Detail::stringify(text));
  }
  SUCCEED();
}

TEST_CASE("symbols that need more than sixteen bits are kept apart") {
  Texts texts(3);
  for (int i = 0; i < 200; ++i) {
    const uint32_t alphabet = 70'000;
    Text text = texts.periodic(1 + texts.below(300), 1 + texts.below(40), 5, 20);
    for (uint32_t& symbol : text) symbol = symbol * 16'384 + 3;
    if (!agrees_with_naive(text, alphabet)) FAIL(Catch::Detail::stringify(text));
  }
  SUCCEED();
}

TEST_CASE("long texts of every shape are suffix arrays by definition") {
  const size_t n = size_t{1} << 20;
  Texts texts(4);
  Text all_different(n);
  for (size_t i = 0; i < n; ++i) all_different[i] = static_cast<uint32_t>(i * 2654435761u % n);
  const struct {
    const char* name;
    Text text;
    uint32_t alphabet;
  } shapes[] = {
      {"all equal", Text(n, 0), 1},
      {"all different", all_different, static_cast<uint32_t>(n)},
      {"Fibonacci", fibonacci_word(n), 2},
      {"Thue-Morse", thue_morse_word(n), 2},
      {"random", texts.random(n, 500), 500},
      {"periodic", texts.periodic(n, 997, 500, 0), 500},
      {"periodic with noise", texts.periodic(n, 997, 500, 100), 500},
  };
  for (const auto& shape : shapes) {
    INFO(shape.name);
    const Built built = build(shape.text, shape.alphabet);
    CHECK(is_suffix_array(shape.text, built.sa));
    CHECK(is_plcp(shape.text, built));
  }
}
