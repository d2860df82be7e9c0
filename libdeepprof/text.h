// printf-style formatting into std::string, for code that is linked into the injected library
// (which cannot use std::format on GCC 12 and must not carry iostreams).
#pragma once

#include <string>

namespace deepprof {

[[gnu::format(printf, 1, 2)]] std::string format_text(const char* format, ...);
[[gnu::format(printf, 2, 3)]] void append_text(std::string& out, const char* format, ...);

}  // namespace deepprof
