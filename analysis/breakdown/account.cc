#include "analysis/breakdown/account.h"

#include <algorithm>

namespace deepprof {
namespace {

// Running totals up to `now_`. Ops and holes arrive by start, so at any time each activity is
// running exactly until the latest end it has shown so far: five numbers hold the whole state.
class Sweep {
 public:
  explicit Sweep(int64_t start_ns) : now_(start_ns) { until_.fill(start_ns); }

  void advance(int64_t to) {
    if (to <= now_) return;
    int64_t claimed = now_;  // [now_, claimed) belongs to an activity of higher rank
    for (size_t activity = 0; activity < kActivities; ++activity) {
      const int64_t end = std::min(until_[activity], to);
      if (end > now_) total_.united_ns[activity] += end - now_;
      if (end > claimed) {
        total_.exposed_ns[activity] += end - claimed;
        claimed = end;
      }
      if (activity == 1 && claimed > now_) total_.kernels_ns += claimed - now_;
    }
    const int64_t both = std::min({until_[0], until_[1], to});
    if (both > now_) total_.overlap_ns += both - now_;
    if (const int64_t end = std::min(hole_until_, to); end > claimed) {
      total_.not_recorded_ns += end - claimed;
      claimed = end;
    }
    total_.idle_ns += to - claimed;
    total_.wall_ns += to - now_;
    now_ = to;
  }

  void add(Activity activity, int64_t end_ns) {
    int64_t& until = until_[static_cast<size_t>(activity)];
    until = std::max(until, end_ns);
  }

  void add_hole(int64_t end_ns) { hole_until_ = std::max(hole_until_, end_ns); }

  const Account& total() const { return total_; }

 private:
  int64_t now_;
  int64_t hole_until_ = INT64_MIN;
  std::array<int64_t, kActivities> until_{};
  Account total_;
};

}  // namespace

const char* activity_name(Activity activity) {
  constexpr std::array<const char*, kActivities> kNames{"compute", "communication", "memcpy",
                                                        "memset"};
  return kNames[static_cast<size_t>(activity)];
}

Activity activity_of(const Op& op, std::span<const CategoryId> category_of_name) {
  switch (op.kind) {
    case Kind::memcpy: return Activity::memcpy;
    case Kind::memset: return Activity::memset;
    default: break;
  }
  const bool communicates = op.kind == Kind::kernel && op.name < category_of_name.size() &&
                            category_of_name[op.name] == kCommunication;
  return communicates ? Activity::communication : Activity::compute;
}

Account& Account::operator+=(const Account& other) {
  wall_ns += other.wall_ns;
  for (size_t i = 0; i < kActivities; ++i) {
    exposed_ns[i] += other.exposed_ns[i];
    united_ns[i] += other.united_ns[i];
  }
  kernels_ns += other.kernels_ns;
  overlap_ns += other.overlap_ns;
  idle_ns += other.idle_ns;
  not_recorded_ns += other.not_recorded_ns;
  return *this;
}

Account& Account::operator-=(const Account& other) {
  wall_ns -= other.wall_ns;
  for (size_t i = 0; i < kActivities; ++i) {
    exposed_ns[i] -= other.exposed_ns[i];
    united_ns[i] -= other.united_ns[i];
  }
  kernels_ns -= other.kernels_ns;
  overlap_ns -= other.overlap_ns;
  idle_ns -= other.idle_ns;
  not_recorded_ns -= other.not_recorded_ns;
  return *this;
}

std::vector<int64_t> borders_of(std::span<const Window> windows) {
  std::vector<int64_t> borders;
  borders.reserve(windows.size() * 2);
  for (const Window& window : windows) {
    borders.push_back(window.start_ns);
    borders.push_back(window.end_ns);
  }
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  return borders;
}

size_t border_index(std::span<const int64_t> borders, int64_t time_ns) {
  return static_cast<size_t>(std::lower_bound(borders.begin(), borders.end(), time_ns) -
                             borders.begin());
}

std::vector<Account> account_windows(const Trace& trace, std::span<const uint32_t> ops,
                                     std::span<const CategoryId> category_of_name,
                                     std::span<const Window> windows) {
  std::vector<Account> accounts(windows.size());
  const std::vector<int64_t> borders = borders_of(windows);
  if (borders.empty()) return accounts;
  const auto holes =
      ops.empty() ? std::span<const Hole>() : holes_of(trace, trace.ops[ops[0]].device);
  int64_t start = borders[0];
  if (!ops.empty()) start = std::min(start, trace.ops[ops[0]].start_ns);
  if (!holes.empty()) start = std::min(start, holes[0].start_ns);
  Sweep sweep(start);
  std::vector<Account> totals;  // at each border
  totals.reserve(borders.size());
  auto op = ops.begin();
  auto hole = holes.begin();
  const auto pass_holes = [&](int64_t until_ns) {
    for (; hole != holes.end() && hole->start_ns < until_ns; ++hole) {
      sweep.advance(hole->start_ns);
      sweep.add_hole(hole->end_ns);
    }
  };
  for (const int64_t border : borders) {
    for (; op != ops.end() && trace.ops[*op].start_ns < border; ++op) {
      const Op& next = trace.ops[*op];
      pass_holes(next.start_ns);
      sweep.advance(next.start_ns);
      sweep.add(activity_of(next, category_of_name), next.end_ns());
    }
    pass_holes(border);
    sweep.advance(border);
    totals.push_back(sweep.total());
  }
  for (size_t i = 0; i < windows.size(); ++i) {
    if (windows[i].end_ns <= windows[i].start_ns) continue;
    accounts[i] = totals[border_index(borders, windows[i].end_ns)];
    accounts[i] -= totals[border_index(borders, windows[i].start_ns)];
  }
  return accounts;
}

Window span_of(const Trace& trace, std::span<const uint32_t> ops) {
  if (ops.empty()) return {};
  Window span{trace.ops[ops[0]].start_ns, trace.ops[ops[0]].end_ns()};
  for (const uint32_t index : ops) span.end_ns = std::max(span.end_ns, trace.ops[index].end_ns());
  return span;
}

}  // namespace deepprof
