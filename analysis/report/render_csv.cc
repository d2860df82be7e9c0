#include <algorithm>

#include "analysis/report/render.h"
#include "analysis/report/utf8.h"

namespace deepprof {
namespace {

// As it stands, which most of a million names do.
bool is_plain(std::string_view text) {
  const auto is_harmless = [](char c) { return c > ' ' && c < 0x7F && c != '"' && c != ','; };
  return text.empty() || (is_harmless(text.front()) && is_harmless(text.back()) &&
                          std::all_of(text.begin(), text.end(),
                                      [&](char c) { return c == ' ' || is_harmless(c); }));
}

// Malformed UTF-8 is replaced; line breaks and quotes stay, inside quotes (RFC 4180).
std::string csv_field(std::string_view text) {
  if (is_plain(text)) return std::string(text);
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
  return quote ? '"' + clean + '"' : clean;
}

}  // namespace

std::string render_csv(const Table& table, const RenderOptions& options) {
  std::string out;
  if (options.header) {
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (c > 0) out += ',';
      out += csv_field(table.columns[c].name);
    }
    out += '\n';
  }
  for (const auto& row : table.rows) {
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (c > 0) out += ',';
      if (c >= row.size()) continue;
      if (const auto* text = std::get_if<std::string>(&row[c])) out += csv_field(*text);
      else out += cell_raw(row[c]);
    }
    out += '\n';
  }
  return out;
}

}  // namespace deepprof
