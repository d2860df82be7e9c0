// Whether a device's ops started in the order in which the host launched them. So it is where one
// stream does all the work, and nothing has to be sorted then. Used by make_sequence() and
// launch_order().
#pragma once

#include <cstddef>
#include <cstdint>

#include "analysis/model/trace.h"

namespace deepprof {

// A place in launch order.
struct LaunchKey {
  // correlation id, counted from a little before the first op's, so that ids may wrap
  uint32_t launch;
  uint32_t op;  // index into Trace::ops, i.e. start order
};

// The ops of one graph launch share their id.
inline bool is_before(const Trace& trace, const LaunchKey& a, const LaunchKey& b) {
  if (a.launch != b.launch) return a.launch < b.launch;
  const uint32_t node_a = trace.ops[a.op].graph_node, node_b = trace.ops[b.op].graph_node;
  return node_a != node_b ? node_a < node_b : a.op < b.op;
}

// Which launch an op belongs to; ops in start order. One without an id goes behind the op that
// started before it.
class LaunchNumbers {
 public:
  // How many calls before the first op's own the earliest launch of another stream may be.
  static constexpr uint32_t kSlack = 1u << 24;

  uint32_t operator()(const Op& op) {
    if (op.correlation != 0) {
      if (origin_ == 0) origin_ = op.correlation - kSlack;
      launch_ = op.correlation - origin_;
    }
    return launch_;
  }

 private:
  uint32_t origin_ = 0, launch_ = 0;
};

// Sees a device's ops one by one, ascending.
class StartOrder {
 public:
  explicit StartOrder(const Trace& trace) : trace_(trace) {}

  void add(uint32_t op) {
    with_id_ += trace_.ops[op].correlation != 0;
    if (in_order_) {
      const LaunchKey key{launch_of_(trace_.ops[op]), op};
      in_order_ = count_ == 0 || is_before(trace_, last_, key);
      last_ = key;
    }
    ++count_;
  }

  // Of those seen, as far as ids tell.
  bool is_launch_order() const { return in_order_; }
  bool has_ids() const {
    // Below this share of ops with an id, the rest would only be guessed between them.
    constexpr double kLeastShare = 0.5;
    return count_ > 0 && static_cast<double>(with_id_) >= kLeastShare * static_cast<double>(count_);
  }

 private:
  const Trace& trace_;
  LaunchNumbers launch_of_;
  LaunchKey last_{};
  size_t count_ = 0, with_id_ = 0;
  bool in_order_ = true;
};

}  // namespace deepprof
