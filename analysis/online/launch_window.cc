#include "analysis/online/launch_window.h"

#include <algorithm>

namespace deepprof {

bool LaunchWindow::merge_incoming() {
  if (incoming_.empty()) return false;
  // Correlation ids grow with the host's launches and wrap within days: compared are distances from
  // far before the oldest op. Ops of one graph launch share their id.
  const uint32_t origin = (held_.empty() ? incoming_ : held_).front().correlation - (1u << 31);
  const auto launched_before = [origin](const Event& a, const Event& b) {
    const uint32_t launch_a = a.correlation - origin, launch_b = b.correlation - origin;
    if (launch_a != launch_b) return launch_a < launch_b;
    if (a.graph_node != b.graph_node) return a.graph_node < b.graph_node;
    return a.start_ns < b.start_ns;
  };
  if (!std::is_sorted(incoming_.begin(), incoming_.end(), launched_before))
    std::stable_sort(incoming_.begin(), incoming_.end(), launched_before);
  if (held_.empty() || !launched_before(incoming_.front(), held_.back())) return false;
  const auto behind = held_.insert(held_.end(), incoming_.begin(), incoming_.end());
  std::inplace_merge(held_.begin(), behind, held_.end(), launched_before);
  return true;
}

}  // namespace deepprof
