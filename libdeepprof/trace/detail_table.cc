#include "libdeepprof/trace/detail_table.h"

#include <algorithm>
#include <bit>

namespace deepprof {
namespace {

uint64_t hash_of(const Detail& detail) {
  // A multiplication a word, none of which waits for another; the last spreads what they leave in
  // the upper bits.
  constexpr uint64_t kMultipliers[] = {0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
                                       0xD6E8FEB86659FD93};
  uint64_t words[4];
  static_assert(sizeof words == sizeof detail);
  std::memcpy(words, &detail, sizeof words);
  uint64_t hash = 0;
  for (size_t i = 0; i < 4; ++i) hash += words[i] * kMultipliers[i];
  hash = (hash ^ (hash >> 32)) * kMultipliers[0];
  return hash >> 32;
}
static_assert(std::has_unique_object_representations_v<Detail>, "hashed by its bytes");

}  // namespace

uint32_t DetailTable::intern(const Detail& detail) {
  if (slots_.size() <= 2 * details_.size()) grow();
  const size_t mask = slots_.size() - 1;
  for (size_t slot = hash_of(detail) & mask;; slot = (slot + 1) & mask) {
    uint32_t& entry = slots_[slot];
    if (entry == 0) {
      if (details_.size() == kMaxDetailsPerSegment) return 0;
      details_.push_back(detail);
      entry = static_cast<uint32_t>(details_.size());
      return entry;
    }
    if (details_[entry - 1] == detail) return entry;
  }
}

void DetailTable::grow() {
  slots_.assign(std::max<size_t>(1024, slots_.size() * 2), 0);
  const size_t mask = slots_.size() - 1;
  for (uint32_t number = 1; number <= details_.size(); ++number) {
    size_t slot = hash_of(details_[number - 1]) & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = number;
  }
}

void DetailTable::clear() {
  details_.clear();
  written_ = 0;
  std::fill(slots_.begin(), slots_.end(), 0u);
}

}  // namespace deepprof
