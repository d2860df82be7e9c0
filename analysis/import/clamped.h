// Numbers of a trace brought into the range of the field that keeps them: a negative one reads as 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace deepprof {

template <typename Number>
Number clamped(int64_t value) {
  // The largest uint64_t is no int64_t.
  constexpr uint64_t kMost = std::min<uint64_t>(std::numeric_limits<Number>::max(), std::numeric_limits<int64_t>::max());
  return static_cast<Number>(std::clamp<int64_t>(value, 0, static_cast<int64_t>(kMost)));
}

}  // namespace deepprof
