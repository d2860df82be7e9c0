// What a job has allocated, by device and kind, over time: from the steps that are in the file, and
// from the totals that were kept over the whole run.
//
// Only what CUDA itself was asked for is known. A framework with an allocator of its own (PyTorch,
// XLA, TensorFlow) asks for large pieces and hands them out by itself: to CUDA, what it keeps in
// reserve is in use.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/breakdown/account.h"
#include "analysis/model/trace.h"
#include "libdeepprof/trace/allocation_ledger.h"

namespace deepprof {

using MemoryLane = AllocationLedger::Lane;  // device (Allocation::kHost: the host) and kind

// Of a window of time.
struct MemoryUse {
  uint64_t start_bytes = 0, least_bytes = 0, most_bytes = 0, end_bytes = 0;

  int64_t growth_bytes() const {
    return static_cast<int64_t>(end_bytes) - static_cast<int64_t>(start_bytes);
  }
};

// How what is in use at least in an iteration changes from one iteration to the next.
struct MemoryTrend {
  double bytes_per_iteration = 0;  // steady: what comes in a step or two is not in it
  int64_t kept_bytes = 0;          // at the end of the last less at the start of the first
  // What came, or went, once and stayed so, where that is most of what was kept; 0: nothing did.
  int64_t step_bytes = 0;
  size_t step_at = 0;  // the iteration in which it did, by its place among those given
};

// What is in use at least in each iteration goes up, steadily, and has not come down at the end.
struct MemoryGrowth {
  size_t iterations = 0;  // that it was seen over
  double bytes_per_iteration = 0;
  uint64_t first_bytes = 0, last_bytes = 0;  // typical of the first quarter and of the last
};

class MemoryIndex {
 public:
  MemoryIndex() = default;
  explicit MemoryIndex(const Trace& trace);

  bool empty() const { return totals_.empty(); }
  // Of the whole run, whatever steps are left.
  const AllocationLedger::Totals& totals() const { return totals_; }
  // The totals that the trace holds could not be read: these are of the steps that are left.
  bool totals_damaged() const { return totals_damaged_; }
  // What is in use of such a kind is what came on top of what was when the recording began, which
  // the trace does not tell.
  bool is_since_start(AllocationKind kind) const;

  // Nothing where steps are missing in the window or before it.
  std::optional<MemoryUse> in(const MemoryLane& lane, Window window) const;
  // Nothing where steps are missing in an iteration or before it.
  std::optional<MemoryTrend> trend(const MemoryLane& lane,
                                   std::span<const Window> iterations) const;
  // Only where as much is kept, too.
  std::optional<MemoryGrowth> growth(const MemoryLane& lane,
                                     std::span<const Window> iterations) const;

 private:
  // From the beginning of the first iteration to the end of the last: what they keep in all.
  std::optional<int64_t> kept_bytes(const MemoryLane& lane,
                                    std::span<const Window> iterations) const;

  struct Point {
    int64_t time_ns;
    uint64_t bytes;   // in use after the step
    bool follows_on;  // no step is missing between the one before and this
  };
  struct Series {
    std::vector<Point> points;
    uint64_t before_first = 0;  // in use before the first step
    bool whole = false;         // no step was let go
  };

  std::map<MemoryLane, Series> series_;
  AllocationLedger::Totals totals_;
  bool totals_damaged_ = false;
  std::string since_start_;  // the names of such kinds, each between commas
};

// Of windows of time, ascending: the most in use in any, and at the end of the last; the steps in
// them. Nothing where steps are missing in one or before it.
std::optional<AllocationTotals> totals_in(const Trace& trace, const MemoryIndex& memory,
                                          const MemoryLane& lane, std::span<const Window> windows);

}  // namespace deepprof
