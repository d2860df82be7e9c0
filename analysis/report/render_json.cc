#include "analysis/report/render.h"
#include "analysis/report/utf8.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

std::string json_value(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return json_quote(*text);
  const std::string raw = cell_raw(cell);
  return raw.empty() ? "null" : raw;
}

std::string json_row(const Table& table, const std::vector<Cell>& row) {
  std::string out = "{";
  for (size_t c = 0; c < table.columns.size() && c < row.size(); ++c) {
    if (c > 0) out += ',';
    out.append(json_quote(table.columns[c].name)).append(":").append(json_value(row[c]));
  }
  return out + "}";
}

// Why values are null: the first reason given in each column.
std::string json_reasons(const Table& table) {
  std::string out;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    for (const auto& row : table.rows) {
      const auto* missing = c < row.size() ? std::get_if<NotAvailable>(&row[c]) : nullptr;
      if (missing == nullptr || missing->reason.empty()) continue;
      if (!out.empty()) out += ',';
      out.append(json_quote(table.columns[c].name)).append(":").append(json_quote(missing->reason));
      break;
    }
  }
  return "{" + out + "}";
}

template <typename List, typename Text>
std::string json_list(const List& list, const char* separator, const Text& text) {
  std::string out;
  for (const auto& item : list) {
    if (!out.empty()) out += separator;
    out += text(item);
  }
  return "[" + out + "]";
}

}  // namespace

std::string json_quote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const CodePoint point = decode_utf8(text);
    if (!point.valid) {
      out += "\xEF\xBF\xBD";
    } else if (point.value == '"' || point.value == '\\') {
      (out += '\\') += static_cast<char>(point.value);
    } else if (point.value == '\n') {
      out += "\\n";
    } else if (point.value == '\t') {
      out += "\\t";
    } else if (point.value < 0x20 || point.value == 0x7F) {
      append_text(out, "\\u%04x", static_cast<unsigned>(point.value));
    } else {
      out.append(text.substr(0, point.bytes));
    }
    text.remove_prefix(point.bytes);
  }
  return out + '"';
}

std::string render_json(const Table& table, const RenderOptions&) {
  const auto row = [&](const std::vector<Cell>& cells) { return json_row(table, cells); };
  const auto quote = [](const std::string& text) { return json_quote(text); };
  const auto column = [](const Column& c) { return json_quote(c.name); };
  return "{\"table\":" + json_quote(table.name) + ",\"title\":" + json_quote(table.title) +
         ",\"columns\":" + json_list(table.columns, ",", column) +
         ",\"rows\":" + json_list(table.rows, ",\n", row) +
         ",\"not_available\":" + json_reasons(table) +
         ",\"notes\":" + json_list(table.notes, ",", quote) + "}\n";
}

}  // namespace deepprof
