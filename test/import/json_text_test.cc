#include "analysis/import/json_text.h"

#include "test/support/catch.h"

using namespace deepprof;

TEST_CASE("escapes of JSON strings are undone") {
  CHECK(unescape_json(R"(a\"b\\c\/d\n\t)") == "a\"b\\c/d\n\t");
  CHECK(unescape_json(R"(\u0041\u00fc\u20ac)") == "A\xC3\xBC\xE2\x82\xAC");
  CHECK(unescape_json(R"(\ud83d\ude80)") == "\xF0\x9F\x9A\x80");
}

TEST_CASE("broken escapes neither crash nor make malformed UTF-8") {
  CHECK(unescape_json(R"(\ud83d)") == "\xEF\xBF\xBD");
  CHECK(unescape_json(R"(\ud83dx)") == "\xEF\xBF\xBDx");
  CHECK(unescape_json(R"(\ude80)") == "\xEF\xBF\xBD");
  CHECK(unescape_json(R"(\u12)") == "\\u12");
  CHECK(unescape_json(R"(\q)") == "\\q");
  CHECK(unescape_json("end\\") == "end\\");
}
