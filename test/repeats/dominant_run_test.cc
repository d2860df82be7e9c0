#include "analysis/repeats/dominant_run.h"

#include <string>

#include "test/support/catch.h"

using namespace deepprof;

namespace {

std::optional<Run> dominant(const std::string& text) {
  std::vector<uint32_t> symbols;
  for (const char letter : text) symbols.push_back(static_cast<uint32_t>(letter - 'a'));
  return dominant_run(symbols);
}

}  // namespace

TEST_CASE("A string that is one repetition but for its ends has a dominant run") {
  CHECK(dominant("abcabcabc") == Run{0, 9, 3});
  CHECK(dominant("abcabcabcab") == Run{0, 11, 3});
  CHECK(dominant("xyabababababz") == Run{2, 12, 2});
  CHECK(dominant("aaaa") == Run{0, 4, 1});
}

TEST_CASE("Two repetitions, one that breaks off, and none at all dominate nothing") {
  CHECK(!dominant("abcdabcd"));
  CHECK(!dominant("abababcdefghi"));
  CHECK(!dominant("abcabcxabcabc"));
  CHECK(!dominant("ab"));
  CHECK(!dominant(""));
}
