// Losses as they happen, counted by any thread and read by the drain thread. A count is one relaxed
// add: it may be made inside the job's launch call.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "libdeepprof/event/loss.h"

namespace deepprof {

class LossCounters {
 public:
  void add(Loss loss, uint64_t count = 1) { at(loss).fetch_add(count, std::memory_order_relaxed); }
  void set(Loss loss, uint64_t count) { at(loss).store(count, std::memory_order_relaxed); }

  LossCounts snapshot() const {
    LossCounts counts;
    for (size_t i = 0; i < kLossCount; ++i)
      counts.count[i] = counts_[i].load(std::memory_order_relaxed);
    return counts;
  }

 private:
  std::atomic<uint64_t>& at(Loss loss) { return counts_[static_cast<size_t>(loss)]; }

  std::array<std::atomic<uint64_t>, kLossCount> counts_{};
};

}  // namespace deepprof
