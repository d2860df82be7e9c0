// Puts GPU ops into launch order as they stream by: CUPTI hands over buffers by thread, so that ops
// arrive out of order. Single-threaded.
//
// How late an op may come: a buffer that is not full is handed over with the next flush, 200 ms
// later unless one of its ops still runs. Hence an op is held until kWindow others have come, which
// a stream of 327,000 ops a second takes 200 ms for, or until the GPU is kMostAge_ns further, and
// no longer than twice that. An op that comes later is still counted, only not in its place.
//
// Ops that overrun their stream (analysis/model/overruns.h) do not leave: reports, which see the
// whole file, leave them out, too. A long op waits for the next one of its stream, or until the GPU
// is kMostAge_ns beyond its end.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/model/overruns.h"
#include "libdeepprof/event/event.h"

namespace deepprof {

class LaunchWindow {
 public:
  static constexpr size_t kWindow = size_t{1} << 16;  // ops of 32 bytes: 6 MB in all
  static constexpr int64_t kMostAge_ns = 2'000'000'000;

  // Calls release(ops) with those that are old enough to be in order.
  template <typename Release>
  void add(Event op, Release release) {
    // An op without an id stays behind the one that came before it.
    if (op.correlation == 0) op.correlation = newest_id_;
    newest_id_ = op.correlation;
    if (incoming_.empty()) incoming_since_ns_ = op.start_ns;
    incoming_.push_back(op);
    any_long_ |= is_long(op);
    if (incoming_.size() < kWindow && op.start_ns - incoming_since_ns_ < kMostAge_ns) return;
    if (any_long_) judge_long_ones();
    const size_t old_enough = held_.size();
    if (merge_incoming()) {
      release(std::span<const Event>(held_).first(old_enough));
      held_.erase(held_.begin(), held_.begin() + static_cast<ptrdiff_t>(old_enough));
    } else {
      release(std::span<const Event>(held_));
      held_.swap(incoming_);
    }
    incoming_.clear();
  }
  template <typename Release>
  void release_all(Release release) {
    if (any_long_) judge_long_ones();
    // Nothing of their streams has come behind these.
    incoming_.insert(incoming_.end(), undecided_.begin(), undecided_.end());
    undecided_.clear();
    if (!merge_incoming()) {
      release(std::span<const Event>(held_));
      held_.swap(incoming_);
    }
    release(std::span<const Event>(held_));
    held_.clear();
    incoming_.clear();
  }

 private:
  // Nodes of a graph overlap.
  static bool is_long(const Event& op) {
    return op.duration_ns() > kOverrun_ns && op.graph_node == 0;
  }
  enum class Fate { stays, waits, overruns };
  // Takes out those that overrun, and sets those aside of whose stream nothing further has come.
  void judge_long_ones();
  // Those of held_, incoming_ and undecided_, in this order.
  std::vector<Fate> fates_of_long_ones() const;
  // Puts both in order. True: those incoming are now among the held ones; false: they all belong
  // behind them, and are where they were.
  bool merge_incoming();

  std::vector<Event> held_;      // in launch order
  std::vector<Event> incoming_;  // as they came
  std::vector<Event> room_;      // to sort them in
  int64_t incoming_since_ns_ = 0;
  uint32_t newest_id_ = 0;
  std::vector<Event> undecided_;  // long ones that are set aside
  bool any_long_ = false;         // among all of these
};

}  // namespace deepprof
