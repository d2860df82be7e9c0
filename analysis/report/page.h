// The page that the summary is laid out on: lines of at most so many columns of printable text.
#pragma once

#include <cstddef>
#include <string>

namespace deepprof {

class Page {
 public:
  Page(size_t width, bool color) : width_(width < 40 ? 40 : width), color_(color) {}

  // A line; what does not fit is cut at its end (names stand last, so that cutting hurts least).
  void line(const std::string& text);
  // An empty line, then "TITLE   rest", wrapped like a paragraph.
  void heading(const std::string& title, const std::string& rest = {});
  // Wraps `text` behind `head`; the lines after the first are indented as far as `head` is long.
  void paragraph(const std::string& head, const std::string& text);

  size_t width() const { return width_; }
  std::string take() { return std::move(text_); }

 private:
  size_t width_;
  bool color_;
  std::string text_;
};

std::string padded(std::string text, size_t width);    // blanks behind, up to `width` columns
std::string at_right(std::string text, size_t width);  // blanks before
const char* plural(uint64_t count);                    // "" or "s"

}  // namespace deepprof
