// Numbers of a trace brought into the range of the field that keeps them: a negative one reads as
// 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace deepprof {

template <typename Number>
Number clamped(int64_t value) {
  // The largest uint64_t is no int64_t.
  constexpr uint64_t kMost =
      std::min<uint64_t>(std::numeric_limits<Number>::max(), std::numeric_limits<int64_t>::max());
  return static_cast<Number>(std::clamp<int64_t>(value, 0, static_cast<int64_t>(kMost)));
}

// end - start, kept within what a time can be: garbage gives no overflow.
inline int64_t time_between(int64_t start, int64_t end) {
  int64_t length;
  if (!__builtin_sub_overflow(end, start, &length)) return length;
  return end > start ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}
inline int64_t positive_time_between(int64_t start, int64_t end) {
  return std::max<int64_t>(0, time_between(start, end));
}

}  // namespace deepprof
