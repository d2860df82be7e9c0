#include "libdeepprof/text.h"

#include "test/support/catch.h"

TEST_CASE("formatted text of any length is kept whole") {
  const std::string long_word(10'000, 'x');
  CHECK(deepprof::format_text("%s-%d", long_word.c_str(), 7) == long_word + "-7");
  std::string out = "a";
  deepprof::append_text(out, "%s", "");
  deepprof::append_text(out, "%c", 'b');
  CHECK(out == "ab");
}
