#include "analysis/report/utf8.h"

#include "test/support/catch.h"

using namespace deepprof;

TEST_CASE("malformed UTF-8 becomes one replacement character per broken sequence") {
  CHECK(printable("a\x9f"
                  "b") ==
        "a\xEF\xBF\xBD"
        "b");
  CHECK(printable("\xC0\x80") == "\xEF\xBF\xBD");          // overlong
  CHECK(printable("\xED\xA0\x80") == "\xEF\xBF\xBD");      // surrogate
  CHECK(printable("\xF4\x90\x80\x80") == "\xEF\xBF\xBD");  // beyond U+10FFFF
  CHECK(printable("\xE2\x82") == "\xEF\xBF\xBD");          // cut at the end
  CHECK(printable("gr\xC3\xBC\xC3\x9F") == "gr\xC3\xBC\xC3\x9F");
}

TEST_CASE("control characters cannot break a table or drive the terminal") {
  CHECK(printable("a\nb\tc\x1b[31md\x7f") == "a b c [31md ");
}

TEST_CASE("widths are counted in terminal columns") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("e\xCC\x81") == 1);                 // combining accent
  CHECK(display_width("\xE6\xBC\xA2\xE5\xAD\x97") == 4);  // two wide characters
  CHECK(display_width("\xF0\x9F\x9A\x80") == 2);          // emoji
}

TEST_CASE("text is cut between characters and ends with an ellipsis") {
  CHECK(fit_width("elementwise_kernel", 8) == "element\xE2\x80\xA6");
  CHECK(fit_width("short", 8) == "short");
  CHECK(fit_width("\xE6\xBC\xA2\xE5\xAD\x97\xE6\xBC\xA2", 4) == "\xE6\xBC\xA2\xE2\x80\xA6");
  CHECK(fit_width("abc", 0).empty());
}
