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

template <typename List, typename Text>
std::string json_list(const List& list, const Text& text) {
  std::string out;
  for (const auto& item : list) {
    if (!out.empty()) out += ',';
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

std::string JsonParts::head(const Table& table) {
  const auto column = [](const Column& c) { return json_quote(c.name); };
  for (const Column& c : table.columns) columns_.push_back(json_quote(c.name));
  reasons_.resize(columns_.size());
  return "{\"table\":" + json_quote(table.name) + ",\"title\":" + json_quote(table.title) +
         ",\"columns\":" + json_list(table.columns, column) + ",\"rows\":[";
}

void JsonParts::add_row(const std::vector<Cell>& cells, std::string& out) {
  out += first_ ? "{" : ",\n{";
  first_ = false;
  for (size_t c = 0; c < columns_.size() && c < cells.size(); ++c) {
    if (c > 0) out += ',';
    out.append(columns_[c]).append(":").append(json_value(cells[c]));
    const auto* missing = std::get_if<NotAvailable>(&cells[c]);
    if (missing != nullptr && reasons_[c].empty()) reasons_[c] = missing->reason;
  }
  out += '}';
}

std::string JsonParts::end(const std::vector<std::string>& notes) const {
  std::string reasons;
  for (size_t c = 0; c < columns_.size(); ++c) {
    if (reasons_[c].empty()) continue;
    if (!reasons.empty()) reasons += ',';
    reasons.append(columns_[c]).append(":").append(json_quote(reasons_[c]));
  }
  const auto quote = [](const std::string& text) { return json_quote(text); };
  return "],\"not_available\":{" + reasons + "},\"notes\":" + json_list(notes, quote) + "}\n";
}

std::string render_json(const Table& table, const RenderOptions&) {
  JsonParts parts;
  std::string out = parts.head(table);
  for (const auto& row : table.rows) parts.add_row(row, out);
  return out += parts.end(table.notes);
}

}  // namespace deepprof
