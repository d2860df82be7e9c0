#include "analysis/online/launch_window.h"

#include <algorithm>
#include <utility>

#include "analysis/model/sort_by_time.h"

namespace deepprof {
namespace {

// The ops of each launch, which are next to each other.
template <typename Before>
void sort_launches(std::vector<Event>& ops, Before before) {
  for (auto launch = ops.begin(); launch != ops.end();) {
    const auto end = std::find_if(launch, ops.end(), [id = launch->correlation](const Event& op) {
      return op.correlation != id;
    });
    if (!std::is_sorted(launch, end, before)) std::stable_sort(launch, end, before);
    launch = end;
  }
}

}  // namespace

void LaunchWindow::judge_long_ones() {
  std::vector<Event> judged = std::exchange(undecided_, {});
  const auto take_out = [&](std::vector<Event>& ops) {
    const auto first =
        std::stable_partition(ops.begin(), ops.end(), [](const Event& op) { return !is_long(op); });
    judged.insert(judged.end(), first, ops.end());
    ops.erase(first, ops.end());
  };
  take_out(held_);
  take_out(incoming_);
  std::sort(judged.begin(), judged.end(),
            [](const Event& a, const Event& b) { return a.start_ns > b.start_ns; });
  std::vector<Event> kept, decided;
  for (const Event& op : judged) {
    int64_t next_ns = INT64_MAX;
    for (const std::vector<Event>* ops : {&held_, &incoming_, &kept}) {
      for (const Event& other : *ops)
        if (other.track == op.track && other.start_ns > op.start_ns)
          next_ns = std::min(next_ns, other.start_ns);
    }
    if (is_overrun(op.end_ns(), next_ns)) continue;
    kept.push_back(op);
    (next_ns == INT64_MAX ? undecided_ : decided).push_back(op);
  }
  any_long_ = !kept.empty();
  incoming_.insert(incoming_.end(), decided.begin(), decided.end());  // they find their places
}

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
  sort_by_time(incoming_, [origin](const Event& op) { return int64_t{op.correlation - origin}; });
  sort_launches(incoming_, launched_before);
  if (held_.empty() || !launched_before(incoming_.front(), held_.back())) return false;
  const auto overlap =
      std::upper_bound(held_.begin(), held_.end(), incoming_.front(), launched_before) -
      held_.begin();
  const auto behind = held_.insert(held_.end(), incoming_.begin(), incoming_.end());
  std::inplace_merge(held_.begin() + overlap, behind, held_.end(), launched_before);
  return true;
}

}  // namespace deepprof
