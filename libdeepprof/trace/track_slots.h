// Numbers the tracks (stream of a device, thread) that a block's tokens name, so that writer and
// reader keep the end of the last row of each in an array. Tracks of host rows are apart by kind:
// an API call names its thread, a wait its stream.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "libdeepprof/trace/row.h"

namespace deepprof {

class TrackSlots {
 public:
  // Call once for each token, in the block's order.
  void add(const Token& token) {
    const Key key{token.on_device, token.on_device ? token.device : token.kind, token.track};
    slot_.push_back(slots_.emplace(key, static_cast<uint32_t>(slots_.size())).first->second);
  }
  uint32_t of(size_t token) const { return slot_[token]; }
  size_t count() const { return slots_.size(); }

 private:
  using Key = std::tuple<bool, uint32_t, uint32_t>;
  std::map<Key, uint32_t> slots_;
  std::vector<uint32_t> slot_;
};

}  // namespace deepprof
