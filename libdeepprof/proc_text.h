// The texts of /proc taken apart: by the samplers, and by whoever looks for a running job.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace deepprof {

// The numbers of a line, parted by blanks, up to the first word that is none.
std::vector<int64_t> numbers_of(std::string_view line);

// Those of /proc/PID/stat behind the state: "PID (any name, even with blanks and brackets) S 1 2
// ...". Empty where the text is no such line.
std::vector<int64_t> numbers_behind_state(std::string_view text);

// What follows `key` on the line that begins with it; empty: no such line.
std::string_view line_of(std::string_view text, std::string_view key);

}  // namespace deepprof
