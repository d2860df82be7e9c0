// The union of a set of a device's ops, or of its idle time, to ask of any stretch how much of it
// is covered.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/breakdown/account.h"
#include "analysis/model/trace.h"

namespace deepprof {

class Coverage {
 public:
  // The union of the ops for which keep(op) holds; `ops` ascending.
  template <typename Keep>
  Coverage(const Trace& trace, std::span<const uint32_t> ops, Keep keep) {
    for (const uint32_t index : ops) {
      const Op& op = trace.ops[index];
      if (op.duration_ns > 0 && keep(op)) add(op.start_ns, op.end_ns());
    }
  }

  // The union of all ops and of the device's holes: the rest is idle.
  static Coverage not_idle(const Trace& trace, std::span<const uint32_t> ops) {
    Coverage coverage;
    auto holes = ops.empty() ? std::span<const Hole>() : holes_of(trace, trace.ops[ops[0]].device);
    const auto pass_holes = [&](int64_t until_ns) {
      for (; !holes.empty() && holes[0].start_ns < until_ns; holes = holes.subspan(1))
        coverage.add(holes[0].start_ns, holes[0].end_ns);
    };
    for (const uint32_t index : ops) {
      const Op& op = trace.ops[index];
      pass_holes(op.start_ns);
      if (op.duration_ns > 0) coverage.add(op.start_ns, op.end_ns());
    }
    pass_holes(INT64_MAX);
    return coverage;
  }

  // How much of [start_ns, end_ns) is covered.
  int64_t covered_ns(int64_t start_ns, int64_t end_ns) const {
    return end_ns <= start_ns ? 0 : covered_before(end_ns) - covered_before(start_ns);
  }
  const std::vector<Window>& stretches() const { return stretches_; }

 private:
  Coverage() = default;
  void add(int64_t start_ns, int64_t end_ns) {
    if (!stretches_.empty() && start_ns <= stretches_.back().end_ns) {
      stretches_.back().end_ns = std::max(stretches_.back().end_ns, end_ns);
      return;
    }
    before_.push_back(stretches_.empty() ? 0 : before_.back() + length(stretches_.back()));
    stretches_.push_back({start_ns, end_ns});
  }
  int64_t covered_before(int64_t time_ns) const {
    const auto next = std::upper_bound(stretches_.begin(), stretches_.end(), time_ns,
                                       [](int64_t t, const Window& w) { return t < w.start_ns; });
    if (next == stretches_.begin()) return 0;
    const auto at = static_cast<size_t>(next - stretches_.begin()) - 1;
    return before_[at] + std::min(time_ns, stretches_[at].end_ns) - stretches_[at].start_ns;
  }
  static int64_t length(const Window& window) { return window.end_ns - window.start_ns; }

  std::vector<Window> stretches_;  // ascending, disjoint
  std::vector<int64_t> before_;    // covered time before each
};

}  // namespace deepprof
