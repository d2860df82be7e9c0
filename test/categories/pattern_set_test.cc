#include "analysis/categories/pattern_set.h"

#include <regex.h>

#include <random>
#include <string>

#include "test/support/catch.h"

using deepprof::PatternSet;

namespace {

bool matches(const std::string& pattern, const std::string& text) {
  PatternSet set;
  REQUIRE(set.add(pattern).ok());
  return set.first_match(text) == 0;
}

bool posix_matches(const std::string& pattern, const std::string& text) {
  regex_t compiled;
  REQUIRE(regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB) == 0);
  const bool found = regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
  regfree(&compiled);
  return found;
}

bool refused(const std::string& pattern) {
  PatternSet set;
  return !set.add(pattern).ok() && set.size() == 0;
}

}  // namespace

TEST_CASE("patterns are found anywhere unless they are anchored") {
  CHECK(matches("gemm", "ampere_sgemm_128"));
  CHECK_FALSE(matches("^gemm", "ampere_sgemm_128"));
  CHECK(matches("^ampere", "ampere_sgemm_128"));
  CHECK(matches("128$", "ampere_sgemm_128"));
  CHECK_FALSE(matches("sgemm$", "ampere_sgemm_128"));
  CHECK(matches("^$", ""));
  CHECK_FALSE(matches("^$", "x"));
}

TEST_CASE("groups, alternatives and repetition nest") {
  CHECK(matches("(layer|rms)_?norm", "xlayernorm"));
  CHECK(matches("(layer|rms)_?norm", "rms_norm"));
  CHECK_FALSE(matches("(layer|rms)_?norm", "lay_norm"));
  CHECK(matches("softmax.*dropout.*bmm", "softmax_a_dropout_bmm"));
  CHECK_FALSE(matches("softmax.*dropout.*bmm", "dropout_softmax_bmm"));
  CHECK(matches("^(?:ab+c?)*d$", "abbcabd"));
  CHECK(matches("sm[0-9]+_", "sm90_x"));
  CHECK_FALSE(matches("sm[^0-9]_", "sm9_x"));
  CHECK(matches(R"(a\.b\d\w)", "a.b1_"));
}

TEST_CASE("not followed by a word") {
  CHECK(matches("lamb(?!da)", "lamb"));
  CHECK(matches("lamb(?!da)", "lambd"));
  CHECK(matches("lamb(?!da)", "lamb_update"));
  CHECK_FALSE(matches("lamb(?!da)", "lambda"));
  CHECK(matches("lamb(?!da)", "lambda_lamb"));
  CHECK(matches("x|lamb(?!da)|y", "lamb_"));
}

TEST_CASE("the lowest number that occurs wins, wherever it stands in the text") {
  PatternSet set;
  for (const char* pattern : {"norm", "gemm", "a"}) REQUIRE(set.add(pattern).ok());
  CHECK(set.first_match("a_gemm_norm") == 0);
  CHECK(set.first_match("a_gemm") == 1);
  CHECK(set.first_match("a") == 2);
  CHECK(set.first_match("b") == PatternSet::kNoMatch);
  CHECK(set.first_match("") == PatternSet::kNoMatch);
}

TEST_CASE("patterns outside the syntax are refused and leave the set as it was") {
  for (const char* pattern :
       {"(a", "a)", "[a", "*a", "a(?!b)c", "(a(?!b))", "(?!.)", "a\\", "[z-a]"}) {
    INFO(pattern);
    CHECK(refused(pattern));
  }
  PatternSet set;
  REQUIRE(set.add("gemm").ok());
  CHECK_FALSE(set.add("(").ok());
  CHECK(set.first_match("gemm") == 0);
  CHECK(refused(std::string(100, '(') + std::string(100, ')')));
}

TEST_CASE("a pattern that explodes a backtracking matcher stays linear") {
  std::string pattern, text(5000, 'a');
  for (int i = 0; i < 25; ++i) pattern += "a*";
  CHECK_FALSE(matches("^" + pattern + "b$", text));
  CHECK(matches("(x+x+)+y", std::string(5000, 'x') + "y"));
}

TEST_CASE("random patterns agree with POSIX regular expressions") {
  std::mt19937 random(7);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 3000; ++round) {
    std::string pattern, posix;  // the same, but "(?!ab)" in other words
    const auto both = [&](const std::string& piece) {
      pattern += piece;
      posix += piece;
    };
    const int alternatives = 1 + pick(3);
    for (int a = 0; a < alternatives; ++a) {
      if (a > 0) both("|");
      if (pick(6) == 0) both("^");
      for (int i = 1 + pick(4); i > 0; --i) {
        const char* piece[] = {"a", "b", ".", "[ab]", "[^a]", "(a|bc)", "c"};
        const char* mark[] = {"", "", "", "?", "*", "+"};
        both(piece[pick(7)]);
        both(mark[pick(6)]);
      }
      if (pick(6) == 0) {
        both("$");
      } else if (pick(6) == 0) {
        pattern += "(?!ab)";
        posix += "($|[^a]|a($|[^b]))";
      }
    }
    std::string text;
    for (int i = pick(9); i > 0; --i) text += static_cast<char>('a' + pick(3));
    INFO(pattern << " in " << text);
    REQUIRE(matches(pattern, text) == posix_matches(posix, text));
  }
}

TEST_CASE("any bytes as a pattern are compiled or refused, and searching stays within the text") {
  std::mt19937 random(9);
  const std::string alphabet = std::string("()[]|?*+^$.\\-!:ab") + '\0' + '\xff';
  for (int round = 0; round < 20000; ++round) {
    std::string pattern, text;
    for (int i = static_cast<int>(random() % 14); i > 0; --i) {
      pattern += alphabet[random() % alphabet.size()];
    }
    for (int i = static_cast<int>(random() % 10); i > 0; --i) {
      text += alphabet[random() % alphabet.size()];
    }
    PatternSet set;
    const bool added = set.add(pattern).ok();
    REQUIRE(set.size() == (added ? 1u : 0u));
    const uint32_t found = set.first_match(text);
    REQUIRE((found == PatternSet::kNoMatch || (added && found == 0)));
  }
}
