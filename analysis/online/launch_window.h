// Puts GPU ops into launch order as they stream by: CUPTI hands over buffers by thread, so that ops
// arrive out of order within some tenths of a second. Holds kWindow to twice as many ops: an op
// that arrives later than that is still counted, only not in its place. Single-threaded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "libdeepprof/event/event.h"

namespace deepprof {

class LaunchWindow {
 public:
  static constexpr size_t kWindow = size_t{1} << 15;  // ops of 32 bytes: 2 MB in all

  // Calls release(ops) with those that are old enough to be in order.
  template <typename Release>
  void add(const Event& op, Release release) {
    held_.push_back(op);
    if (held_.size() < 2 * kWindow) return;
    sort();
    release(std::span<const Event>(held_).first(kWindow));
    held_.erase(held_.begin(), held_.begin() + kWindow);
  }
  template <typename Release>
  void release_all(Release release) {
    sort();
    release(std::span<const Event>(held_));
    held_.clear();
  }

 private:
  // Correlation ids grow with the host's launches. Ops of one graph launch share theirs.
  static bool launched_before(const Event& a, const Event& b) {
    if (a.correlation != b.correlation) return a.correlation < b.correlation;
    if (a.graph_node != b.graph_node) return a.graph_node < b.graph_node;
    return a.start_ns < b.start_ns;
  }
  void sort();

  std::vector<Event> held_;
};

}  // namespace deepprof
