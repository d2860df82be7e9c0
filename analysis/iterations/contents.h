// What repetitions consist of, as counts of symbols, and how far two of them differ.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace deepprof {

// A repetition: symbols [first, last).
struct Tile {
  uint32_t first = 0, last = 0;
  bool partial = false;  // cut by an end of the string or a hole in it
};

class Contents {
 public:
  // Of the tiles; every symbol must be < alphabet.
  Contents(std::span<const uint32_t> symbols, uint32_t alphabet, std::span<const Tile> tiles);

  size_t size() const { return lengths_.size(); }
  uint32_t length(size_t i) const { return lengths_[i]; }
  // Share of the ops of both that the other does not have: 0 equal, 1 nothing in common.
  double distance(size_t a, size_t b) const;
  // Share of the ops of `a` that `b` has too.
  double contained(size_t a, size_t b) const;
  // Mean distance of repetitions `lag` apart, among the first `count`. No further summed once it is
  // `enough` or more.
  double mean_distance(size_t lag, size_t count, double enough = 2) const;

  struct Count {
    uint32_t symbol, count;
  };
  // What repetition `i` consists of, by symbol.
  std::span<const Count> counts(size_t i) const {
    return std::span(counts_).subspan(first_[i], first_[i + 1] - first_[i]);
  }

 private:
  uint64_t common(size_t a, size_t b) const;

  std::vector<Count> counts_;  // by symbol within a repetition
  std::vector<size_t> first_;  // of each repetition in counts_, and the end
  std::vector<uint32_t> lengths_;
};

}  // namespace deepprof
