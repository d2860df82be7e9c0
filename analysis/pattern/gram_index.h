// Where in a pattern a run of six symbols occurs. Used to find the place again after ops that the
// pattern does not explain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace deepprof {

// Where in a pattern an op belongs.
struct PatternPlace {
  uint32_t iteration = 0;  // which of the pattern's iterations
  uint32_t position = 0;   // op within it
};

class GramIndex {
 public:
  static constexpr uint32_t kGram = 6;
  // Runs that occur more often say little: only so many of their places are visited.
  static constexpr uint32_t kMaxPlaces = 128;

  void reserve(uint32_t grams);
  // The kGram symbols at `symbols` occur at `place`. At most as many as were reserved.
  void add(const uint32_t* symbols, PatternPlace place);

  // Calls visit(place) for places whose symbols are probably (by hash) the kGram ones at `symbols`.
  template <typename Visit>
  void find(const uint32_t* symbols, Visit visit) const {
    if (heads_.empty()) return;
    const uint64_t key = hash(symbols);
    uint32_t visited = 0;
    for (uint32_t e = heads_[key & (heads_.size() - 1)]; e != kEnd && visited < kMaxPlaces;
         e = entries_[e].next) {
      if (entries_[e].key != static_cast<uint32_t>(key >> 32)) continue;
      visit(entries_[e].place);
      ++visited;
    }
  }

 private:
  static constexpr uint32_t kEnd = UINT32_MAX;
  struct Entry {
    uint32_t key;
    PatternPlace place;
    uint32_t next;
  };

  static uint64_t hash(const uint32_t* symbols) {
    uint64_t h = 0;
    for (uint32_t i = 0; i < kGram; ++i) h = (h ^ symbols[i]) * 0x9e3779b97f4a7c15u + (h >> 29);
    return h ^ (h >> 32);
  }

  std::vector<uint32_t> heads_;  // a power of two of them
  std::vector<Entry> entries_;
};

}  // namespace deepprof
