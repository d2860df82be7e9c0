#include "libdeepprof/trace/row_buffer.h"

#include <algorithm>

namespace deepprof {
namespace {

uint64_t hash_of(const Token& token) {
  constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15;
  const uint64_t low = (uint64_t{token.name} << 32) | token.track;
  const uint64_t high = (uint64_t{token.detail} << 32) | (uint64_t{token.device} << 16) |
                        (uint64_t{token.kind} << 8) | (token.has_graph_node ? 1u : 0u);
  uint64_t hash = (low ^ (high * kMultiplier)) * kMultiplier;
  hash ^= hash >> 32;
  return hash * kMultiplier;
}

}  // namespace

uint32_t RowBuffer::intern(const Token& token) {
  if (slots_.empty()) {
    rows_.resize(kBlockRows);
    slots_.resize(kSlots);  // last: it says that both are there
  }
  for (size_t slot = hash_of(token) >> 48;; ++slot) {
    uint16_t& entry = slots_[slot % kSlots];
    if (entry == 0) {
      tokens_.push_back(token);
      entry = static_cast<uint16_t>(tokens_.size());
      return entry - 1u;
    }
    if (tokens_[entry - 1u] == token) return entry - 1u;
  }
}

void RowBuffer::clear() {
  count_ = 0;
  tokens_.clear();
  std::fill(slots_.begin(), slots_.end(), uint16_t{0});
}

}  // namespace deepprof
