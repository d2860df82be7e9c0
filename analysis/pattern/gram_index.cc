#include "analysis/pattern/gram_index.h"

namespace deepprof {

void GramIndex::reserve(uint32_t grams) {
  size_t heads = 16;
  while (heads < 2 * static_cast<size_t>(grams)) heads *= 2;
  heads_.assign(heads, kEnd);
  entries_.clear();
  entries_.reserve(grams);
}

void GramIndex::add(const uint32_t* symbols, PatternPlace place) {
  const uint64_t key = hash(symbols);
  uint32_t& head = heads_[key & (heads_.size() - 1)];
  entries_.push_back({static_cast<uint32_t>(key >> 32), place, head});
  head = static_cast<uint32_t>(entries_.size() - 1);
}

}  // namespace deepprof
