// The ops since the pattern began to explain few of them: should it turn out to have changed, they
// show how, and are mined together with what comes. Used by the online miner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libdeepprof/event/event.h"

namespace deepprof {

class DoubtfulOps {
 public:
  static constexpr size_t kMost = 32 * 1024;  // more are no sign of a change, but usual: 1 MiB

  // Ops that were followed, so many of them `explained`; the repetitions `counted` before them.
  void add(std::span<const Event> ops, size_t explained, uint64_t counted) {
    constexpr double kFew = .8;
    if (ops_.empty()) {
      counted_ = counted;
      explained_ = 0;
    }
    explained_ += explained;
    const size_t all = ops_.size() + ops.size();
    if (all > kMost || static_cast<double>(explained_) >= kFew * static_cast<double>(all)) clear();
    else ops_.insert(ops_.end(), ops.begin(), ops.end());
  }
  void clear() { ops_.clear(); }

  std::span<const Event> ops() const { return ops_; }
  uint64_t counted_before() const { return counted_; }

 private:
  std::vector<Event> ops_;
  size_t explained_ = 0;  // of them
  uint64_t counted_ = 0;  // before the first
};

}  // namespace deepprof
