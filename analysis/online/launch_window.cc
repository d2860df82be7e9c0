#include "analysis/online/launch_window.h"

#include <algorithm>
#include <tuple>
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

// Buffers are nearly in order, each for itself: `ops` are a few runs. False: they are many, and
// stay as they are.
template <typename Before>
bool merge_few_runs(std::vector<Event>& ops, std::vector<Event>& room, Before before) {
  constexpr size_t kMostRuns = 32;
  std::vector<size_t> ends;
  for (size_t at = 0; at < ops.size();) {
    const auto end =
        std::is_sorted_until(ops.begin() + static_cast<ptrdiff_t>(at), ops.end(), before);
    at = static_cast<size_t>(end - ops.begin());
    ends.push_back(at);
    if (ends.size() > kMostRuns) return false;
  }
  const auto place = [](std::vector<Event>& in, size_t at) {
    return in.begin() + static_cast<ptrdiff_t>(at);
  };
  while (ends.size() > 1) {
    room.resize(ops.size());
    size_t first = 0, merged = 0;
    for (size_t i = 0; i < ends.size(); i += 2) {
      const size_t middle = ends[i], last = ends[std::min(i + 1, ends.size() - 1)];
      std::merge(place(ops, first), place(ops, middle), place(ops, middle), place(ops, last),
                 place(room, first), before);
      ends[merged++] = first = last;
    }
    ends.resize(merged);
    ops.swap(room);
  }
  return true;
}

struct LongOp {
  uint32_t track = 0;
  int64_t start_ns = 0, end_ns = 0;
  size_t index = 0;
  int64_t next_short_ns = INT64_MAX;  // of the short ones that start behind it and no later one

  bool operator<(const LongOp& other) const {
    return std::tie(track, start_ns) < std::tie(other.track, other.start_ns);
  }
};

// The first two starts of a stream so far, from behind: ops that start together have one next.
struct Starts {
  int64_t first_ns = INT64_MAX, second_ns = INT64_MAX;
};

// `ops`: in order.
void add_short_op(const Event& op, std::vector<LongOp>& ops) {
  const auto behind = std::lower_bound(ops.begin(), ops.end(), LongOp{op.track, op.start_ns});
  if (behind == ops.begin()) return;
  LongOp& before = *(behind - 1);
  if (before.track == op.track) before.next_short_ns = std::min(before.next_short_ns, op.start_ns);
}

}  // namespace

void LaunchWindow::judge_long_ones() {
  const std::vector<Fate> fates = fates_of_long_ones();
  auto fate = fates.begin();
  std::vector<Event> wait;
  const auto leaves = [&](const Event& op) {
    if (!is_long(op)) return false;
    if (*fate == Fate::waits) wait.push_back(op);
    return *fate++ != Fate::stays;
  };
  std::erase_if(held_, leaves);
  std::erase_if(incoming_, leaves);
  std::erase_if(undecided_, leaves);
  incoming_.insert(incoming_.end(), undecided_.begin(),
                   undecided_.end());  // they find their places
  undecided_ = std::move(wait);
  any_long_ = std::any_of(fates.begin(), fates.end(), [](Fate f) { return f != Fate::overruns; });
}

std::vector<LaunchWindow::Fate> LaunchWindow::fates_of_long_ones() const {
  std::vector<LongOp> ops;
  for (const auto* part : {&held_, &incoming_, &undecided_})
    for (const Event& op : *part)
      if (is_long(op)) ops.push_back({op.track, op.start_ns, op.end_ns(), ops.size()});
  std::sort(ops.begin(), ops.end());
  int64_t newest_ns = INT64_MIN;
  for (const auto* part : {&held_, &incoming_}) {
    for (const Event& op : *part) {
      newest_ns = std::max(newest_ns, op.start_ns);
      if (!is_long(op)) add_short_op(op, ops);
    }
  }
  std::vector<Fate> fates(ops.size());
  Starts starts;
  for (size_t i = ops.size(); i-- > 0;) {
    const LongOp& op = ops[i];
    if (i + 1 < ops.size() && ops[i + 1].track != op.track) starts = {};
    starts.first_ns = std::min(starts.first_ns, op.next_short_ns);
    const bool earlier = op.start_ns < starts.first_ns;
    const int64_t next_ns = earlier ? starts.first_ns : starts.second_ns;
    const bool overruns = is_overrun(op.end_ns, next_ns);
    const bool waits = next_ns == INT64_MAX && newest_ns - kMostAge_ns <= op.end_ns;
    fates[op.index] = overruns ? Fate::overruns : waits ? Fate::waits : Fate::stays;
    if (earlier && !overruns) starts = {op.start_ns, starts.first_ns};
  }
  return fates;
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
  if (!merge_few_runs(incoming_, room_, launched_before)) {
    sort_by_time(incoming_, [origin](const Event& op) { return int64_t{op.correlation - origin}; });
    sort_launches(incoming_, launched_before);
  }
  if (held_.empty() || !launched_before(incoming_.front(), held_.back())) return false;
  const auto overlap =
      std::upper_bound(held_.begin(), held_.end(), incoming_.front(), launched_before) -
      held_.begin();
  const auto behind = held_.insert(held_.end(), incoming_.begin(), incoming_.end());
  std::inplace_merge(held_.begin() + overlap, behind, held_.end(), launched_before);
  return true;
}

}  // namespace deepprof
