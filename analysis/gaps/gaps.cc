#include "analysis/gaps/gaps.h"

#include <algorithm>

#include "analysis/gaps/range_sweep.h"

namespace deepprof {
namespace {

constexpr std::array<CauseInfo, kCauses> kCauseInfo{{
    {"host_outside", "host outside CUDA", true},
    {"host_launch", "host launch-bound", true},
    {"host_blocked", "host blocked in CUDA", true},
    {"dependency_wait", "dependency wait", false},
    {"kernel_wait", "kernel wait", false},
    {"graph_replay", "graph replay", false},
    {"overhead", "profiler overhead", false},
    {"unattributed", "unattributed", false},
}};

bool is_kind(std::string_view overhead, std::string_view kind) {
  for (const std::string_view before : {"CUPTI: ", "CUPTI "}) {
    if (overhead.starts_with(before)) {
      overhead.remove_prefix(before.size());
      break;
    }
  }
  return std::equal(overhead.begin(), overhead.end(), kind.begin(), kind.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

// How much of ascending stretches those overhead records cover (as a union) whose names are wanted.
class OverheadSweep {
 public:
  OverheadSweep(const Trace& trace, bool (*wanted)(std::string_view name)) {
    std::vector<uint8_t> is_wanted(trace.names.size());
    for (NameId name = 0; name < is_wanted.size(); ++name)
      is_wanted[name] = wanted(trace.names[name]);
    for (const Overhead& overhead : trace.overheads) {
      if (!is_wanted[overhead.name]) continue;
      const int64_t end = overhead.start_ns + overhead.duration_ns;
      if (!united_.empty() && overhead.start_ns <= united_.back().end_ns) {
        united_.back().end_ns = std::max(united_.back().end_ns, end);
      } else {
        united_.push_back({overhead.start_ns, end});
      }
    }
  }
  int64_t during(int64_t start_ns, int64_t end_ns) {
    while (first_ < united_.size() && united_[first_].end_ns <= start_ns) ++first_;
    int64_t covered = 0;
    for (size_t i = first_; i < united_.size() && united_[i].start_ns < end_ns; ++i) {
      covered += std::min(united_[i].end_ns, end_ns) - std::max(united_[i].start_ns, start_ns);
    }
    return covered;
  }

 private:
  struct Stretch {
    int64_t start_ns, end_ns;
  };
  std::vector<Stretch> united_;
  size_t first_ = 0;
};

// Takes the holes out of gaps, which come ascending.
class HoleCutter {
 public:
  explicit HoleCutter(std::span<const Hole> holes) : holes_(holes) {}

  // Visits what is left of the gap. False: no hole touches it, nothing is visited.
  bool cut(const Gap& gap, const std::function<void(const Gap&)>& visit) {
    while (!holes_.empty() && holes_[0].end_ns <= gap.start_ns) holes_ = holes_.subspan(1);
    if (holes_.empty() || !holes_[0].touches(gap.start_ns, gap.end_ns)) return false;
    Gap piece = gap;
    piece.cause = Cause::unattributed;
    for (const Hole& hole : holes_) {
      if (!hole.touches(gap.start_ns, gap.end_ns)) break;
      piece.end_ns = hole.start_ns;
      piece.after = kNone;
      if (piece.start_ns < piece.end_ns) visit(piece);
      piece.start_ns = hole.end_ns;
      piece.before = kNone;
    }
    piece.end_ns = gap.end_ns;
    piece.after = gap.after;
    if (piece.start_ns < piece.end_ns) visit(piece);
    return true;
  }

 private:
  std::span<const Hole> holes_;
};

class Judge {
 public:
  explicit Judge(const HostRecord& host)
      : trace_(host.trace()),
        host_holes_(holes_of(host.trace(), kNone)),
        host_(host),
        ranges_(host),
        overhead_(host.trace(), is_profilers_own),
        loading_(host.trace(), loads_code) {}

  // The rules of docs/metrics.md in their order; `gap` comes with its times and ops.
  void judge(Gap& gap) {
    const Op& after = trace_.ops[gap.after];
    const int64_t length = gap.duration_ns();
    if (2 * overhead_.during(gap.start_ns, gap.end_ns) > length) {
      gap.cause = Cause::overhead;
    } else if (after.launch == kNone) {
      gap.cause = Cause::unattributed;
    } else if (gap.before != kNone && same_graph_launch(trace_.ops[gap.before], after)) {
      gap.cause = Cause::graph_replay;
    } else if (const HostCall& launch = trace_.calls[after.launch];
               launch.start_ns > gap.start_ns) {
      // Where calls are missing nobody knows what the host did.
      if (!touches_hole(host_holes_, gap.start_ns, gap.end_ns)) split_host_wait(gap, launch.thread);
    } else {
      gap.cause = length < kKernelWaitBelow_ns ? Cause::kernel_wait : Cause::dependency_wait;
    }
  }

 private:
  bool same_graph_launch(const Op& before, const Op& after) const {
    if (before.correlation == 0 || before.correlation != after.correlation) return false;
    if (before.graph_node != 0 && after.graph_node != 0) return true;
    // Sources without node ids still tell by the call: everything one graph launch starts shares
    // its id.
    return is_graph_launch(trace_.names[trace_.calls[after.launch].name]);
  }

  void split_host_wait(Gap& gap, uint32_t thread) {
    const HostActivity activity = host_.during(thread, gap.start_ns, gap.end_ns);
    const int64_t length = gap.duration_ns();
    if (2 * activity.blocking_ns > length) {
      gap.cause = Cause::host_blocked;
      gap.call = activity.longest_blocking;
    } else if (2 * activity.calls_ns > length) {
      gap.cause = Cause::host_launch;
      gap.call = activity.longest_call;
      gap.loading_ns = loading_.during(gap.start_ns, gap.end_ns);
    } else {
      gap.cause = Cause::host_outside;
      gap.range = ranges_.during(thread, gap.start_ns, gap.end_ns);
    }
  }

  const Trace& trace_;
  std::span<const Hole> host_holes_;
  HostSweep host_;
  RangeSweep ranges_;
  OverheadSweep overhead_, loading_;
};

}  // namespace

bool loads_code(std::string_view overhead) {
  return is_kind(overhead, "runtime triggered module loading") ||
         is_kind(overhead, "lazy function loading") || is_kind(overhead, "driver compiler");
}
bool is_profilers_own(std::string_view overhead) {
  return !loads_code(overhead) && !is_kind(overhead, "command buffer full");
}

const CauseInfo& cause_info(Cause cause) { return kCauseInfo[static_cast<size_t>(cause)]; }

void for_each_gap(const Trace& trace, std::span<const uint32_t> ops,
                  std::span<const CallClass> class_of_name,
                  const std::function<void(const Gap&)>& visit, Window whole) {
  for_each_gap(HostRecord(trace, class_of_name), ops, visit, whole);
}

void for_each_gap(const HostRecord& host, std::span<const uint32_t> ops,
                  const std::function<void(const Gap&)>& visit, Window whole) {
  if (ops.empty()) return;
  const Trace& trace = host.trace();
  HoleCutter holes(holes_of(trace, trace.ops[ops[0]].device));
  const int64_t first_start = trace.ops[ops[0]].start_ns;
  Judge judge(host);
  if (whole.start_ns < first_start && whole.end_ns > whole.start_ns) {
    Gap gap;
    gap.start_ns = whole.start_ns;
    gap.end_ns = first_start;
    gap.after = ops[0];
    if (!holes.cut(gap, visit)) {
      judge.judge(gap);
      visit(gap);
    }
  }
  uint32_t last =
      ops[0];  // the op with the latest end so far (the very first bounds the span, even if empty)
  int64_t busy_until = trace.ops[last].end_ns();
  for (const uint32_t index : ops.subspan(1)) {
    const Op& op = trace.ops[index];
    if (op.duration_ns == 0) continue;  // an empty interval: it neither ends nor begins a gap
    if (op.start_ns > busy_until) {
      Gap gap;
      gap.start_ns = busy_until;
      gap.end_ns = op.start_ns;
      gap.before = last;
      gap.after = index;
      if (!holes.cut(gap, visit)) {
        judge.judge(gap);
        visit(gap);
      }
    }
    if (op.end_ns() >= busy_until) {
      busy_until = op.end_ns();
      last = index;
    }
  }
  if (whole.end_ns > busy_until) {
    const Gap rest{.start_ns = busy_until, .end_ns = whole.end_ns, .before = last};
    if (!holes.cut(rest, visit)) visit(rest);
  }
}

}  // namespace deepprof
