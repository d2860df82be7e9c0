// A paragraph as it was before it was wrapped.
#pragma once

#include <string>

namespace deepprof::test {

inline std::string one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n';
    if (!blank) line += c;
    else if (!line.empty() && line.back() != ' ') line += ' ';
  }
  return line;
}

}  // namespace deepprof::test
