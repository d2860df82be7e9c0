#include "analysis/import/json_scanner.h"

#include <random>
#include <string>

#include "test/support/catch.h"

using namespace deepprof;

namespace {

// The obvious way, one byte at a time, as the judge of the fast one.
ElementScan scan_slowly(std::string_view text) {
  ElementScan scan;
  int depth = 0;
  bool in_string = false;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const char next = at + 1 < text.size() ? text[at + 1] : ' ';
    if (c == '\\' && (next == '"' || next == '\\')) ++at;
    if (c == '"') in_string = !in_string;
    if (in_string) continue;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if ((c == '}' || c == ']') && depth == 0) scan.end = at + 1;
    if (depth < 0) {
      scan.closed = true;
      scan.close = at;
      return scan;
    }
  }
  return scan;
}

void check_same(std::string_view text) {
  const ElementScan fast = scan_elements(text), slow = scan_slowly(text);
  INFO(text);
  CHECK(fast.end == slow.end);
  CHECK(fast.closed == slow.closed);
  CHECK(fast.close == slow.close);
}

}  // namespace

TEST_CASE("the last whole element is found, and the array's own end") {
  CHECK(scan_elements("{},{\"a\":1},{\"b\"").end == 10);
  CHECK_FALSE(scan_elements("{},{\"a\":1},{\"b\"").closed);
  const ElementScan closed = scan_elements("{}]}");
  CHECK(closed.end == 2);
  CHECK(closed.closed);
  CHECK(closed.close == 2);
  CHECK(scan_elements("").end == 0);
  CHECK(scan_elements("{\"an open string }}}").end == 0);
}

TEST_CASE("brackets, quotes and backslashes in strings do not count") {
  check_same(R"({"name":"operator[]{\"x\\"},{"a":"\\\\\"}"},{)");
  check_same(std::string(63, ' ') + "{\"\\\\\"}");  // a run of backslashes across a block border
  check_same(std::string(57, ' ') + R"({"a":"\"}"},{})");
}

TEST_CASE("random text is scanned as the byte-wise scanner does") {
  std::mt19937 random(20261129);
  constexpr std::string_view kLetters = "{}[]\"\"\\\\,:a ";
  for (int round = 0; round < 20'000; ++round) {
    std::string text(random() % 300, ' ');
    // Mostly inside elements, else the first bracket ends nearly every text.
    for (char& c : text) c = random() % 3 != 0 ? 'x' : kLetters[random() % kLetters.size()];
    check_same("{{{" + text);
    if (round % 4 == 0) check_same(text);
  }
}
