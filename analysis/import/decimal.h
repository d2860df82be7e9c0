// Times in trace files are decimal text: microseconds of up to 19 digits with a fraction. A double
// cannot hold them to the nanosecond (2^53 ns are 104 days), so they are read as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace deepprof {

// "1365627862757.064" with 3 shift digits (us to ns) is 1365627862757064. Further digits are
// rounded half away from zero. `shift` is 0 to 9. Signs and exponents are read; nothing on text
// that is no number or does not fit.
std::optional<int64_t> decimal_shifted(std::string_view text, int shift);

inline std::optional<int64_t> integer_of(std::string_view text) { return decimal_shifted(text, 0); }

}  // namespace deepprof
