#include <algorithm>

#include "analysis/categories/distinct_names.h"
#include "analysis/report/page.h"
#include "analysis/report/render.h"
#include "analysis/report/utf8.h"

namespace deepprof {
namespace {

constexpr int kGap = 2;         // blanks between columns
constexpr int kNarrowest = 20;  // a text column is never cut below this

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

// Of "name [what tells it apart]" the name is cut: rows that look alike tell a reader nothing.
std::string fit_cell(const std::string& cell, int width) {
  if (cell.ends_with(']') && display_width(cell) > width)
    return fit_distinct_name(cell, static_cast<size_t>(width));
  return fit_width(cell, width);
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

// A table on its way to a terminal of so many columns.
class Layout {
 public:
  Layout(const Table& table, TimeUnit time_unit)
      : table_(table), lines_(printed_rows(table, time_unit)) {
    for (const Column& column : table.columns) header_.push_back(printable(heading_of(column)));
    widths_ = natural_widths(header_, lines_);
    for (size_t c = 0; c < table.columns.size(); ++c) {
      shown_.push_back(c);
      right_aligned_.push_back(
          is_right_aligned(table, c));  // asked once: the answer looks at every row
    }
  }

  // First goes what is the same in every row, as a line below says it as well; then names are cut;
  // then columns that can be spared go. Figures are never cut.
  void fit(int width) {
    for (size_t at = shown_.size(); at-- > 0 && total() > width;) {
      if (is_same_in_all(shown_[at])) leave_out(at, same_);
    }
    shrink(width);
    while (total() > width) {
      const auto most = std::max_element(shown_.begin(), shown_.end(), [&](size_t a, size_t b) {
        return table_.columns[a].spare < table_.columns[b].spare;
      });
      if (most == shown_.end() || table_.columns[*most].spare == 0) return;
      leave_out(static_cast<size_t>(most - shown_.begin()), spared_);
    }
  }

  std::string header() const { return line_of(header_); }
  void append_rows(std::string& out) const {
    for (const Line& line : lines_) (out += line_of(line)) += '\n';
  }
  // What fit() left out.
  std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    if (!same_.empty()) notes.push_back("the same in every row: " + listed(same_, true));
    if (!spared_.empty())
      notes.push_back("no room for " + listed(spared_, false) + " (--wide prints all columns)");
    return notes;
  }

 private:
  int total() const {
    int sum = kGap * (static_cast<int>(shown_.size()) - 1);
    for (const size_t c : shown_) sum += widths_[c];
    return sum;
  }
  bool is_same_in_all(size_t column) const {
    return lines_.size() > 1 && std::all_of(lines_.begin(), lines_.end(), [&](const Line& line) {
             return line[column] == lines_.front()[column];
           });
  }
  void leave_out(size_t at, std::vector<size_t>& where) {
    where.insert(where.begin(), shown_[at]);
    shown_.erase(shown_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  // Takes what is too much from the widest text column, again and again.
  void shrink(int width) {
    while (total() > width) {
      int* widest = nullptr;
      for (const size_t c : shown_) {
        if (right_aligned_[c] || widths_[c] <= kNarrowest) continue;
        if (widest == nullptr || widths_[c] > *widest) widest = &widths_[c];
      }
      if (widest == nullptr) return;
      *widest -= std::min(total() - width, *widest - kNarrowest);
    }
  }
  std::string line_of(const Line& line) const {
    std::string text;
    for (const size_t c : shown_) {
      const std::string cell = fit_cell(line[c], widths_[c]);
      const auto pad = static_cast<size_t>(std::max(0, widths_[c] - display_width(cell)));
      if (c != shown_.front()) text.append(kGap, ' ');
      if (right_aligned_[c]) text.append(pad, ' ');
      text += cell;
      if (!right_aligned_[c]) text.append(pad, ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }
  std::string listed(const std::vector<size_t>& columns, bool with_value) const {
    std::string text;
    for (const size_t c : columns) {
      text += (text.empty() ? "" : ", ") + header_[c];
      if (with_value) text += " " + lines_.front()[c];
    }
    return text;
  }

  const Table& table_;
  std::vector<Line> lines_;
  Line header_;
  std::vector<int> widths_;
  std::vector<bool> right_aligned_;
  std::vector<size_t> shown_;          // columns, in order
  std::vector<size_t> same_, spared_;  // columns that are not shown, and why
};

void append_note(const std::string& note, int width, std::string& out) {
  if (width <= 0) {
    (out += printable(note)) += '\n';
    return;
  }
  Page page(static_cast<size_t>(width), false);
  page.paragraph("", printable(note));
  out += page.take();
}

}  // namespace

std::string render_text(const Table& table, const RenderOptions& options) {
  const std::string_view bold = options.color ? "\x1b[1m" : "";
  const std::string_view plain = options.color ? "\x1b[0m" : "";
  std::string out;
  if (options.header && !table.title.empty()) {
    out.append(bold).append(printable(table.title)).append(plain) += '\n';
  }
  Layout layout(table, options.time_unit);
  if (options.width > 0) layout.fit(options.width);
  if (options.header && !table.columns.empty())
    out.append(bold).append(layout.header()).append(plain) += '\n';
  layout.append_rows(out);
  std::vector<std::string> notes = layout.notes();
  notes.insert(notes.end(), table.notes.begin(), table.notes.end());
  for (const std::string& note : notes) append_note(note, options.width, out);
  return out;
}

}  // namespace deepprof
