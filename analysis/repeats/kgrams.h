// Which stretches of symbols occur more than once, and where: the groups of equal k-grams for a few
// lengths k, read off the suffix array. A group whose occurrences are those of a shorter one is
// left out. Used to find the levels at which a string repeats.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace deepprof {

struct KgramGroup {
  uint32_t length = 0;           // k
  uint32_t first = 0, last = 0;  // its occurrences in KgramGroups::occurrences, half-open
  uint32_t count() const { return last - first; }
};

struct KgramGroups {
  std::vector<KgramGroup> groups;     // by length
  std::vector<uint32_t> occurrences;  // ascending within a group

  std::span<const uint32_t> of(const KgramGroup& group) const {
    return {occurrences.data() + group.first, group.count()};
  }
};

// Groups of at least two occurrences; none of more than `most`. Symbols must be < alphabet.
KgramGroups find_kgrams(std::span<const uint32_t> symbols, uint32_t alphabet, uint32_t most);

}  // namespace deepprof
