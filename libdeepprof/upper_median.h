// The median as this project's miner and accounts take it: of an even number of values the upper of
// the two in the middle, so that the answer is one of the values. What people read as a median of
// few values is the middle of the two: middle_median.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace deepprof {

// 0 of no values. Linear time.
template <typename T>
T upper_median(std::vector<T> values) {
  if (values.empty()) return T{};
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  // What most of them are is the median.
  const T guess = *middle;
  const auto equal = static_cast<size_t>(std::count(values.begin(), values.end(), guess));
  if (2 * equal > values.size()) return guess;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace deepprof
