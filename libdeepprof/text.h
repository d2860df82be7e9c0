// printf-style formatting into std::string, with numbers as in the C locale whatever the job's is;
// for code linked into the injected library (no std::format on GCC 12, and no iostreams).
#pragma once

#include <string>

namespace deepprof {

[[gnu::format(printf, 1, 2)]] std::string format_text(const char* format, ...);
[[gnu::format(printf, 2, 3)]] void append_text(std::string& out, const char* format, ...);

}  // namespace deepprof
