// The median as people read it: of an even number of values the middle of the two in the middle.
// (The miner takes the upper of them: upper_median.h.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace deepprof {

// 0 of no values. Linear time. Whole numbers are rounded down.
template <typename T>
T middle_median(std::vector<T> values) {
  if (values.empty()) return T{};
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  const T below = *std::max_element(values.begin(), middle);
  return below + (*middle - below) / 2;
}

}  // namespace deepprof
