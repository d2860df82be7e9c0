// Text of unknown origin (kernel names, paths, annotations) made fit to print: well-formed UTF-8,
// measured in columns of a terminal. No locale is consulted: the host process owns it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace deepprof {

// One code point decoded from the start of `text` (not empty). Malformed input (overlong,
// surrogate, truncated, beyond U+10FFFF) gives U+FFFD and the length of the bytes to skip, at least
// 1.
struct CodePoint {
  char32_t value = 0;
  size_t bytes = 1;
  bool valid = true;
};
CodePoint decode_utf8(std::string_view text);

// Columns a code point takes in a terminal: 0 (combining), 1 or 2 (East Asian wide, emoji).
int code_point_width(char32_t value);

// Columns that printable() of the text would take.
int display_width(std::string_view text);

// Malformed bytes become U+FFFD; control characters (newlines, tabs, escapes, DEL, C1) become
// spaces, so that a name can neither break a table nor drive the terminal.
std::string printable(std::string_view text);

// printable(text) in at most `width` columns; what is cut is replaced by one "…" at its end.
std::string fit_width(std::string_view text, int width);

}  // namespace deepprof
