#include "libdeepprof/trace/row_buffer.h"

#include <algorithm>

namespace deepprof {

RowBuffer::Key RowBuffer::key_of(const Token& token) {
  return {(uint64_t{token.name} << 32) | token.track,
          (uint64_t{token.detail} << 32) | (uint64_t{token.device} << 16) |
              (uint64_t{token.kind} << 8) | (token.on_device ? 2u : 0u) |
              (token.has_graph_node ? 1u : 0u)};
}

size_t RowBuffer::slot_of(const Key& key) {
  constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15;
  uint64_t hash = (key.low ^ (key.high * kMultiplier)) * kMultiplier;
  hash ^= hash >> 32;
  return (hash * kMultiplier) >> 48;
}

uint32_t RowBuffer::intern(const Token& token) {
  if (slots_.empty()) {
    rows_.resize(kBlockRows);
    slots_.resize(kSlots);  // last: it says that both are there
  }
  const Key key = key_of(token);
  for (size_t slot = slot_of(key);; ++slot) {
    uint16_t& entry = slots_[slot % kSlots];
    if (entry == 0) {
      keys_.push_back(key);
      tokens_.push_back(token);
      entry = static_cast<uint16_t>(tokens_.size());
      return entry - 1u;
    }
    if (keys_[entry - 1u] == key) return entry - 1u;
  }
}

void RowBuffer::clear() {
  count_ = 0;
  tokens_.clear();
  keys_.clear();
  std::fill(slots_.begin(), slots_.end(), uint16_t{0});
}

}  // namespace deepprof
