#include "libdeepprof/trace/predecessors.h"

#include <array>

namespace deepprof {
namespace {

// A rolling hash over the last kOrder tokens: hash = sum of (token + 1) * kBase^age, modulo 2^32.
constexpr size_t kOrder = 6;
constexpr uint32_t kBase = 0x9E3779B1;
constexpr uint32_t kOldest = [] {
  uint32_t power = 1;
  for (size_t i = 0; i < kOrder; ++i) power *= kBase;
  return power;
}();
constexpr unsigned kSlotBits = 15;
constexpr uint32_t kEmpty = UINT32_MAX;

}  // namespace

void Predecessors::find(std::span<const uint32_t> tokens, std::span<const Token> token_list) {
  slots_.assign(size_t{1} << kSlotBits, kEmpty);
  last_of_token_.assign(token_list.size(), 0);
  in_lane_.resize(tokens.size());
  of_lane_[0].clear();
  of_lane_[1].clear();

  uint32_t hash = 0;
  for (uint32_t i = 0; i < tokens.size(); ++i) {
    const uint32_t token = tokens[i];
    const bool lane = token_list[token].on_device;
    hash = hash * kBase + token + 1;
    if (i >= kOrder) hash -= kOldest * (tokens[i - kOrder] + 1);

    // A slot holds the row in its low half and 16 bits of the hash in its high half. What matters
    // is that writer and reader agree; a false match only predicts badly.
    uint32_t& slot = slots_[hash >> (32 - kSlotBits)];
    const uint32_t row = slot & 0xffff;
    const bool same = (slot >> 16) == (hash & 0xffff) && row < i && tokens[row] == token;
    const auto number = static_cast<uint32_t>(of_lane_[lane].size());
    of_lane_[lane].push_back(same ? in_lane_[row] + 1 : last_of_token_[token]);
    in_lane_[i] = number;
    last_of_token_[token] = number + 1;
    slot = (hash << 16) | i;
  }
}

}  // namespace deepprof
