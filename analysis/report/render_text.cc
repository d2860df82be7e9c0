#include <algorithm>

#include "analysis/report/render.h"
#include "analysis/report/utf8.h"

namespace deepprof {
namespace {

constexpr int kGap = 2;         // blanks between columns
constexpr int kNarrowest = 12;  // a text column is never cut below this

using Line = std::vector<std::string>;

std::vector<Line> printed_rows(const Table& table, TimeUnit time_unit) {
  std::vector<Line> lines;
  lines.reserve(table.rows.size());
  for (const auto& row : table.rows) {
    Line line;
    for (size_t c = 0; c < table.columns.size(); ++c) {
      line.push_back(c < row.size() ? printable(cell_text(row[c], table.columns[c], time_unit))
                                    : "");
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<int> natural_widths(const Line& header, const std::vector<Line>& lines) {
  std::vector<int> widths;
  for (const std::string& heading : header) widths.push_back(display_width(heading));
  for (const Line& line : lines) {
    for (size_t c = 0; c < line.size(); ++c)
      widths[c] = std::max(widths[c], display_width(line[c]));
  }
  return widths;
}

// Takes what is too much from the widest text column, again and again: figures are never cut.
void shrink_to(int width, const Table& table, std::vector<int>& widths) {
  int total = kGap * (static_cast<int>(widths.size()) - 1);
  for (const int w : widths) total += w;
  while (total > width) {
    size_t widest = widths.size();
    for (size_t c = 0; c < widths.size(); ++c) {
      if (is_right_aligned(table, c) || widths[c] <= kNarrowest) continue;
      if (widest == widths.size() || widths[c] > widths[widest]) widest = c;
    }
    if (widest == widths.size()) return;
    const int cut = std::min(total - width, widths[widest] - kNarrowest);
    widths[widest] -= cut;
    total -= cut;
  }
}

void append_line(std::string& out, const std::vector<bool>& right_aligned, const Line& line,
                 const std::vector<int>& widths) {
  std::string text;
  for (size_t c = 0; c < line.size(); ++c) {
    const std::string cell = fit_width(line[c], widths[c]);
    const auto pad = static_cast<size_t>(std::max(0, widths[c] - display_width(cell)));
    if (c > 0) text.append(kGap, ' ');
    if (right_aligned[c]) text.append(pad, ' ');
    text += cell;
    if (!right_aligned[c]) text.append(pad, ' ');
  }
  text.erase(text.find_last_not_of(' ') + 1);
  out += text;
}

}  // namespace

std::string render_text(const Table& table, const RenderOptions& options) {
  const std::string_view bold = options.color ? "\x1b[1m" : "";
  const std::string_view plain = options.color ? "\x1b[0m" : "";
  std::string out;
  if (options.header && !table.title.empty()) {
    out.append(bold).append(printable(table.title)).append(plain) += '\n';
  }
  Line header;
  for (const Column& column : table.columns) header.push_back(printable(heading_of(column)));
  const std::vector<Line> lines = printed_rows(table, options.time_unit);
  std::vector<int> widths = natural_widths(header, lines);
  if (options.width > 0) shrink_to(options.width, table, widths);
  std::vector<bool> right_aligned;  // asked once: the answer looks at every row
  for (size_t c = 0; c < table.columns.size(); ++c) right_aligned.push_back(is_right_aligned(table, c));
  if (options.header && !header.empty()) {
    out.append(bold);
    append_line(out, right_aligned, header, widths);
    out.append(plain) += '\n';
  }
  for (const Line& line : lines) {
    append_line(out, right_aligned, line, widths);
    out += '\n';
  }
  for (const std::string& note : table.notes) (out += printable(note)) += '\n';
  return out;
}

}  // namespace deepprof
