#include "analysis/report/table.h"

#include <algorithm>
#include <limits>
#include <string>

#include "analysis/report/render.h"
#include "analysis/report/utf8.h"
#include "test/support/catch.h"

using namespace deepprof;

namespace {

Table small_table() {
  Table table;
  table.name = "kernels";
  table.title = "KERNELS";
  table.columns = {{"total_ns", Unit::nanoseconds, "total"},
                   {"count", Unit::count, ""},
                   {"stream", Unit::none, ""},
                   {"share_ratio", Unit::ratio, "share"},
                   {"name", Unit::none, ""}};
  table.rows = {
      {int64_t{1'500'000}, int64_t{12'345}, int64_t{1007}, 0.25, std::string("gemm<a, \"b\">")},
      {int64_t{900}, int64_t{1}, int64_t{7}, NotAvailable{"no launch records"},
       std::string("relu")}};
  table.notes = {"a note"};
  return table;
}

}  // namespace

TEST_CASE("text scales units, lines figures up at the right and leaves identifiers alone") {
  CHECK(render(small_table(), {}) ==
        "KERNELS\n"
        "  total   count  stream   share  name\n"
        "1.50 ms  12,345    1007  25.0 %  gemm<a, \"b\">\n"
        " 900 ns       1       7     n/a  relu\n"
        "a note\n");
}

TEST_CASE("text is cut to the width in its widest text column only") {
  Table table = small_table();
  table.rows[0][4] = std::string(300, 'k');
  RenderOptions options;
  options.width = 60;
  const std::string text = render(table, options);
  for (size_t from = 0; from < text.size();) {
    const size_t to = text.find('\n', from);
    CHECK(display_width(std::string_view(text).substr(from, to - from)) <= 60);
    from = to + 1;
  }
  CHECK(text.find("12,345") != std::string::npos);
}

TEST_CASE(
    "a terminal that is too narrow does without what is the same in every row, and then without "
    "what can be spared") {
  Table table;
  table.columns = {{"device", Unit::none, ""},
                   {"idle_ns", Unit::nanoseconds, "idle"},
                   {"p99_ns", Unit::nanoseconds, "p99", 1},
                   {"memset_ns", Unit::nanoseconds, "memset", 2}};
  table.rows = {{int64_t{0}, int64_t{1'000'000}, int64_t{2'000}, int64_t{5}},
                {int64_t{0}, int64_t{2'000'000}, int64_t{3'000}, int64_t{6}}};
  RenderOptions options;
  options.width = 40;
  CHECK(render(table, options) ==
        "device     idle      p99  memset\n"
        "     0  1.00 ms  2.00 us    5 ns\n"
        "     0  2.00 ms  3.00 us    6 ns\n");
  options.width = 26;
  CHECK(render(table, options) ==
        "   idle      p99  memset\n"
        "1.00 ms  2.00 us    5 ns\n"
        "2.00 ms  3.00 us    6 ns\n"
        "the same in every row: device 0\n");
  options.width = 20;
  const std::string narrow = render(table, options);
  CHECK(narrow.find("   idle      p99\n1.00 ms  2.00 us\n") == 0);
  CHECK(narrow.find("no room for memset") != std::string::npos);
  options.width = 0;  // a pipe: everything
  CHECK(render(table, options).find("device") == 0);
  options.width = 10;
  options.format = Format::csv;
  CHECK(render(table, options).find("device,idle_ns,p99_ns,memset_ns\n") == 0);
}

TEST_CASE("CSV carries raw values and quotes what needs it") {
  RenderOptions options;
  options.format = Format::csv;
  CHECK(render(small_table(), options) ==
        "total_ns,count,stream,share_ratio,name\n"
        "1500000,12345,1007,0.25,\"gemm<a, \"\"b\"\">\"\n"
        "900,1,7,,relu\n");
  options.header = false;
  CHECK(render(small_table(), options).substr(0, 7) == "1500000");
  Table empty = small_table();
  empty.rows.clear();
  options.header = true;
  CHECK(render(empty, options) == "total_ns,count,stream,share_ratio,name\n");
}

TEST_CASE("JSON names the reason of every null") {
  RenderOptions options;
  options.format = Format::json;
  CHECK(render(small_table(), options) ==
        "{\"table\":\"kernels\",\"title\":\"KERNELS\","
        "\"columns\":[\"total_ns\",\"count\",\"stream\",\"share_ratio\",\"name\"],"
        "\"rows\":[{\"total_ns\":1500000,\"count\":12345,\"stream\":1007,\"share_ratio\":0.25,"
        "\"name\":\"gemm<a, \\\"b\\\">\"},\n"
        "{\"total_ns\":900,\"count\":1,\"stream\":7,\"share_ratio\":null,\"name\":\"relu\"}],"
        "\"not_available\":{\"share_ratio\":\"no launch records\"},\"notes\":[\"a note\"]}\n");
}

TEST_CASE("JSON strings hold neither control characters nor malformed UTF-8") {
  CHECK(json_quote("a\x01\n\t\"\\\x9f\x7f") == "\"a\\u0001\\n\\t\\\"\\\\\xEF\xBF\xBD\\u007f\"");
}

TEST_CASE("Markdown escapes what kernel names are made of") {
  RenderOptions options;
  options.format = Format::markdown;
  Table table = small_table();
  table.rows[1][4] = std::string("a|b_c*");
  const std::string text = render(table, options);
  CHECK(text.find("a\\|b\\_c\\*") != std::string::npos);
  CHECK(text.find("|---:|---:|---:|---:|:---|") != std::string::npos);
}

TEST_CASE("figures that are not numbers are n/a and null, never nan") {
  Table table;
  table.columns = {{"x_ratio", Unit::ratio, ""}};
  table.rows = {{0.0 / 0.0 * -1}, {std::numeric_limits<double>::infinity()}};
  RenderOptions options;
  CHECK(render(table, options) == "x ratio\n    n/a\n    n/a\n");
  options.format = Format::csv;
  CHECK(render(table, options) == "x_ratio\n\n\n");
}

TEST_CASE("colour is used only when asked for") {
  RenderOptions options;
  CHECK(render(small_table(), options).find('\x1b') == std::string::npos);
  options.color = true;
  CHECK(render(small_table(), options).find("\x1b[1m") != std::string::npos);
}

TEST_CASE("a table whose rows come in parts is written as one whose rows are all there") {
  for (const Format format : {Format::json, Format::csv}) {
    Table whole = small_table();
    whole.rows.push_back(whole.rows[1]);
    for (size_t at_once = 1; at_once <= 4; ++at_once) {
      size_t given = 0, most = 0;
      std::string text;
      const auto next = [&](Table& table) {
        CHECK(table.rows.empty());  // those before are gone
        for (size_t i = 0; i < at_once && given < whole.rows.size(); ++i)
          table.rows.push_back(whole.rows[given++]);
        most = std::max(most, table.rows.size());
        return !table.rows.empty();
      };
      render_in_parts(whole, {.format = format}, next,
                      [&](std::string_view part) { text += part; });
      CHECK(text == render(whole, {.format = format}));
      CHECK(most <= at_once);
    }
  }
}
