// Strings of symbols for the tests of the pattern.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace deepprof::test {

using Symbols = std::vector<uint32_t>;

inline Symbols counting(uint32_t first, uint32_t count) {
  Symbols ops(count);
  std::iota(ops.begin(), ops.end(), first);
  return ops;
}

}  // namespace deepprof::test
