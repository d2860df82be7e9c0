#include <algorithm>

#include "analysis/report/render.h"
#include "analysis/report/utf8.h"

namespace deepprof {
namespace {

// Of plain characters alone, as most of a million names are: at most put in quotes.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= ' ' && c < 0x7F && c != '"'; });
}

bool wants_quotes(std::string_view plain) {
  return !plain.empty() &&
         (plain.front() == ' ' || plain.back() == ' ' || plain.find(',') != std::string_view::npos);
}

// Malformed UTF-8 is replaced; line breaks and quotes stay, inside quotes (RFC 4180).
void add_field(std::string_view text, std::string& out) {
  if (is_plain(text)) {
    const char* quote = wants_quotes(text) ? "\"" : "";
    out.append(quote).append(text).append(quote);
    return;
  }
  std::string clean;
  bool quote = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  while (!text.empty()) {
    const CodePoint point = decode_utf8(text);
    if (!point.valid) {
      clean += "\xEF\xBF\xBD";
    } else if (point.value == '"') {
      clean += "\"\"";
    } else {
      clean.append(text.substr(0, point.bytes));
    }
    quote = quote || point.value == '"' || point.value == ',' || point.value == '\n' ||
            point.value == '\r';
    text.remove_prefix(point.bytes);
  }
  out += quote ? '"' + clean + '"' : clean;
}

}  // namespace

std::string render_csv(const Table& table, const RenderOptions& options) {
  std::string out;
  if (options.header) {
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (c > 0) out += ',';
      add_field(table.columns[c].name, out);
    }
    out += '\n';
  }
  for (const auto& row : table.rows) {
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (c > 0) out += ',';
      if (c >= row.size()) continue;
      if (const auto* text = std::get_if<std::string>(&row[c])) add_field(*text, out);
      else out += cell_raw(row[c]);
    }
    out += '\n';
  }
  return out;
}

}  // namespace deepprof
