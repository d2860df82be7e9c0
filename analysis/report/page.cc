#include "analysis/report/page.h"

#include <algorithm>

#include "analysis/report/utf8.h"

namespace deepprof {
namespace {

size_t columns(std::string_view text) { return static_cast<size_t>(display_width(text)); }

}  // namespace

void Page::line(const std::string& text) {
  std::string shown = fit_width(text, static_cast<int>(width_));
  while (!shown.empty() && shown.back() == ' ') shown.pop_back();
  text_ += shown + "\n";
}

void Page::heading(const std::string& title, const std::string& rest) {
  line("");
  const size_t start = text_.size();
  if (rest.empty()) line(title);
  else paragraph(title + "   ", rest);
  if (color_) text_.insert(start + title.size(), "\x1b[0m").insert(start, "\x1b[1m");
}

void Page::paragraph(const std::string& head, const std::string& text) {
  // What is longer than a third of the page would leave no room beside it.
  const size_t indented = std::min(columns(head), width_ / 3);
  std::string current = head;
  const std::string indent(indented, ' ');
  bool fresh = true;
  for (size_t at = 0; at < text.size();) {
    size_t space = std::min(text.find(' ', at), text.size());
    // Keeps a figure and its unit together: "38.5 %", "12 ms".
    const auto is_unit = [&](size_t from) {
      const std::string_view next =
          std::string_view(text).substr(from, text.find_first_of(" ,.;)", from) - from);
      return next == "%" || next == "ns" || next == "us" || next == "ms" || next == "s" ||
             next == "GB" || next == "MB";
    };
    if (space < text.size() && space > at && text[space - 1] >= '0' && text[space - 1] <= '9' &&
        is_unit(space + 1)) {
      space = std::min(text.find(' ', space + 1), text.size());
    }
    const std::string word = text.substr(at, space - at);
    at = space + 1;
    if (!fresh && columns(current) + 1 + columns(word) > width_) {
      line(current);
      current = indent;
      fresh = true;
    }
    current += (fresh ? "" : " ") + word;
    fresh = false;
  }
  line(current);
}

std::string padded(std::string text, size_t width) {
  const size_t taken = columns(text);
  if (taken < width) text.append(width - taken, ' ');
  return text;
}

std::string at_right(std::string text, size_t width) {
  const size_t taken = columns(text);
  if (taken < width) text.insert(0, width - taken, ' ');
  return text;
}

const char* plural(uint64_t count) { return count == 1 ? "" : "s"; }

}  // namespace deepprof
