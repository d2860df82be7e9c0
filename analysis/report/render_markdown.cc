#include "analysis/report/render.h"
#include "analysis/report/utf8.h"

namespace deepprof {
namespace {

// Kernel names are full of <>, *, _ and |: all of them mean something in Markdown.
std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (std::string_view("\\`*_{}[]<>|#").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string render_markdown(const Table& table, const RenderOptions& options) {
  std::string out;
  if (options.header && !table.title.empty()) out += "**" + markdown_text(table.title) + "**\n\n";
  if (options.header && !table.columns.empty()) {
    std::string rule = "|";
    out += "|";
    for (size_t c = 0; c < table.columns.size(); ++c) {
      out += " " + markdown_text(heading_of(table.columns[c])) + " |";
      rule += is_right_aligned(table, c) ? "---:|" : ":---|";
    }
    out += "\n" + rule + "\n";
  }
  for (const auto& row : table.rows) {
    out += "|";
    for (size_t c = 0; c < table.columns.size(); ++c) {
      out += " " +
             (c < row.size() ? markdown_text(cell_text(row[c], table.columns[c], options.time_unit))
                             : "") +
             " |";
    }
    out += "\n";
  }
  for (const std::string& note : table.notes) out += "\n" + markdown_text(note) + "\n";
  return out;
}

}  // namespace deepprof
