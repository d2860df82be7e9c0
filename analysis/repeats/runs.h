// The maximal repetitions (runs) of a string: stretches with a period that fits at least twice and
// that no symbol on either side continues. By Lyndon roots (Bannai, I, Inenaga, Nakashima, Takeda,
// Tsuruta 2017): fewer runs than symbols, found in n log n time and memory. Used on one iteration,
// to find its layers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace deepprof {

struct Run {
  uint32_t first = 0, last = 0;  // half-open
  uint32_t period = 0;           // the smallest

  uint32_t count() const { return (last - first) / period; }
  friend auto operator<=>(const Run&, const Run&) = default;
};

// Ascending. Symbols must be < alphabet.
std::vector<Run> find_runs(std::span<const uint32_t> symbols, uint32_t alphabet);

}  // namespace deepprof
