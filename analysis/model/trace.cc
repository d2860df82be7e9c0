#include "analysis/model/trace.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/model/reserve_huge.h"
#include "analysis/model/sort_by_time.h"

namespace deepprof {
namespace {

// Beyond it (the year 2116) a time is a fault. Within it the difference of two times is one, too;
// and the difference of two such differences where the times are positive, as those of ops are.
constexpr int64_t kFarthest_ns = INT64_MAX / 2;
bool is_usable(int64_t time_ns) { return time_ns > -kFarthest_ns && time_ns < kFarthest_ns; }

bool has_usable_times(const Op& op) {
  return usable_times(op.start_ns, op.duration_ns) && is_usable(op.start_ns + op.duration_ns);
}

// Of what happens on the host: it may take as long as it likes, and an imported trace may begin at
// 0.
template <typename Row>
uint64_t drop_unusable(std::vector<Row>& rows) {
  return std::erase_if(rows, [](const Row& row) {
    return row.duration_ns < 0 || !is_usable(row.start_ns) ||
           row.duration_ns >= kFarthest_ns - row.start_ns;
  });
}

// Before they are sorted: where the wall clock was set back, a series that is sorted by time would
// interleave what came before with what came after, and a counter would seem to be reset at every
// sample. The later ones go, until the clock has caught up.
uint64_t drop_steps_back(std::vector<Sample>& samples) {
  std::map<std::pair<NameId, uint32_t>, int64_t> newest_ns;
  return std::erase_if(samples, [&](const Sample& sample) {
    const auto [newest, is_first] =
        newest_ns.try_emplace({sample.metric, sample.device}, sample.time_ns);
    if (!is_first && sample.time_ns < newest->second) return true;
    newest->second = sample.time_ns;
    return false;
  });
}

// The call of each correlation id. Of several (a runtime call and the driver call inside it share
// one id) the outermost counts, i.e. the one that starts first; where ids have come round again,
// the newest that had begun when the op did. Ids grow with the host's launches, so a table over
// their range is the rule; where they are sparse, a sorted list.
class LaunchIndex {
 public:
  // `calls` are ordered by start.
  explicit LaunchIndex(const std::vector<HostCall>& calls) : calls_(calls) {
    uint32_t greatest = 0;
    size_t count = 0;
    for (const HostCall& call : calls) {
      if (!launches(call)) continue;
      least_ = std::min(least_, call.correlation);
      greatest = std::max(greatest, call.correlation);
      ++count;
    }
    if (count == 0) return;
    const size_t range = size_t{greatest} - least_ + 1;
    if (range <= 8 * count) {
      fill_table(range);
    } else {
      fill_list(count);
    }
  }

  uint32_t find(const Op& op) const {
    const uint32_t first = find_first(op.correlation);
    if (first == kNone || again_.empty()) return first;
    const auto found = again_.find(op.correlation);
    if (found == again_.end()) return first;
    const std::vector<uint32_t>& later = found->second;
    const auto begun = std::partition_point(later.begin(), later.end(), [&](uint32_t call) {
      return calls_[call].start_ns <= op.start_ns + kClocksApart_ns;
    });
    return begun == later.begin() ? first : *(begun - 1);
  }

 private:
  // The clocks of GPU and host agree to that; ids come round again after 2^32 calls.
  static constexpr int64_t kClocksApart_ns = 1'000'000, kRound_ns = 600'000'000'000;

  uint32_t find_first(uint32_t correlation) const {
    if (correlation == 0) return kNone;
    if (!table_.empty()) {
      const uint32_t at = correlation - least_;  // wraps to a large number below the least
      return at < table_.size() ? table_[at] : kNone;
    }
    const auto found =
        std::lower_bound(list_.begin(), list_.end(), correlation,
                         [&](uint32_t call, uint32_t id) { return calls_[call].correlation < id; });
    return found != list_.end() && calls_[*found].correlation == correlation ? *found : kNone;
  }
  // `call` has the id of an earlier one.
  void note_again(uint32_t first, uint32_t call) {
    if (calls_[call].start_ns - calls_[first].start_ns < kRound_ns) return;
    std::vector<uint32_t>& later = again_[calls_[call].correlation];
    if (later.empty() || calls_[call].start_ns - calls_[later.back()].start_ns >= kRound_ns)
      later.push_back(call);
  }
  static bool launches(const HostCall& call) {
    return call.correlation != 0 && call.kind == Kind::api_call;
  }
  void fill_table(size_t range) {
    table_.assign(range, kNone);
    for (uint32_t index = 0; index < calls_.size(); ++index) {
      if (!launches(calls_[index])) continue;
      uint32_t& slot = table_[calls_[index].correlation - least_];
      if (slot == kNone) slot = index;
      else note_again(slot, index);
    }
  }
  void fill_list(size_t count) {
    list_.reserve(count);
    for (uint32_t index = 0; index < calls_.size(); ++index) {
      if (launches(calls_[index])) list_.push_back(index);
    }
    // Stable, so the earliest call of an id comes first.
    std::stable_sort(list_.begin(), list_.end(), [&](uint32_t a, uint32_t b) {
      return calls_[a].correlation < calls_[b].correlation;
    });
    for (size_t i = 1, first = 0; i < list_.size(); ++i) {
      if (calls_[list_[i]].correlation != calls_[list_[first]].correlation) first = i;
      else note_again(list_[first], list_[i]);
    }
  }

  const std::vector<HostCall>& calls_;
  uint32_t least_ = UINT32_MAX;
  std::vector<uint32_t> table_;  // correlation - least_ -> call
  std::vector<uint32_t> list_;   // calls by correlation
  // by id: the outermost calls of later rounds, in order
  std::unordered_map<uint32_t, std::vector<uint32_t>> again_;
};

void sort_ops(std::vector<Op>& ops) {
  sort_by_time(ops, [](const Op& op) { return op.start_ns; });
  const auto before = [](const Op& a, const Op& b) {
    return std::tuple(a.end_ns(), a.stream) < std::tuple(b.end_ns(), b.stream);
  };
  for (auto run = ops.begin(); run != ops.end();) {
    auto end = run + 1;
    while (end != ops.end() && end->start_ns == run->start_ns) ++end;
    if (end - run > 1) std::stable_sort(run, end, before);
    run = end;
  }
}

}  // namespace

void unite_holes(std::vector<Hole>& holes) {
  // of lanes without events
  std::erase_if(holes, [](const Hole& hole) { return hole.start_ns >= hole.end_ns; });
  std::sort(holes.begin(), holes.end(), [](const Hole& a, const Hole& b) {
    return std::tuple(a.device, a.start_ns) < std::tuple(b.device, b.start_ns);
  });
  size_t kept = 0;
  for (const Hole& hole : holes) {
    const bool joins = kept > 0 && holes[kept - 1].device == hole.device &&
                       hole.start_ns <= holes[kept - 1].end_ns;
    if (joins) holes[kept - 1].end_ns = std::max(holes[kept - 1].end_ns, hole.end_ns);
    else holes[kept++] = hole;
  }
  holes.resize(kept);
}

// What has impossible times, and samples that step back, is dropped and counted. Samples
// of a metric and device arrive in the order in which they were taken.
void Trace::finish() {
  const auto unusable = std::stable_partition(ops.begin(), ops.end(), has_usable_times);
  losses[Loss::bad_timestamp] += static_cast<uint64_t>(ops.end() - unusable);
  ops.erase(unusable, ops.end());

  sort_ops(ops);
  uint64_t& bad = losses[Loss::bad_timestamp];
  bad += drop_unusable(calls) + drop_unusable(ranges) + drop_unusable(overheads);
  const auto start_of = [](const auto& row) { return row.start_ns; };
  sort_by_time(calls, start_of);
  sort_by_time(ranges, start_of);
  sort_by_time(overheads, start_of);
  bad += std::erase_if(samples, [](const Sample& sample) { return !is_usable(sample.time_ns); });
  bad += drop_steps_back(samples);
  sort_by_time(samples, [](const Sample& sample) { return sample.time_ns; });

  bad +=
      std::erase_if(allocations, [](const Allocation& step) { return !is_usable(step.time_ns); });
  sort_by_time(allocations, [](const Allocation& step) { return step.time_ns; });

  bad += std::erase_if(holes, [](const Hole& hole) {
    return hole.start_ns < hole.end_ns && !(is_usable(hole.start_ns) && is_usable(hole.end_ns));
  });
  unite_holes(holes);

  const LaunchIndex launches(calls);
  for (Op& op : ops) op.launch = launches.find(op);
}

std::span<const Hole> holes_of(const Trace& trace, uint32_t device) {
  const auto of_device =
      std::equal_range(trace.holes.begin(), trace.holes.end(), Hole{0, 0, device},
                       [](const Hole& a, const Hole& b) { return a.device < b.device; });
  return {of_device.first, of_device.second};
}

bool touches_hole(std::span<const Hole> holes, int64_t from_ns, int64_t to_ns) {
  const auto next = std::upper_bound(holes.begin(), holes.end(), from_ns,
                                     [](int64_t t, const Hole& hole) { return t < hole.end_ns; });
  return next != holes.end() && next->touches(from_ns, to_ns);
}

std::vector<uint16_t> devices_with_ops(const Trace& trace) {
  std::vector<bool> seen(UINT16_MAX + 1, false);
  for (const Op& op : trace.ops) seen[op.device] = true;
  std::vector<uint16_t> devices;
  for (uint32_t device = 0; device < seen.size(); ++device) {
    if (seen[device]) devices.push_back(static_cast<uint16_t>(device));
  }
  return devices;
}

std::vector<uint32_t> ops_of_device(const Trace& trace, uint16_t device, uint32_t stream) {
  std::vector<uint32_t> ops;
  for (uint32_t index = 0; index < trace.ops.size(); ++index) {
    const Op& op = trace.ops[index];
    if (op.device == device && (stream == kNone || op.stream == stream)) ops.push_back(index);
  }
  return ops;
}

std::vector<std::vector<uint32_t>> ops_by_device(const Trace& trace) {
  std::vector<size_t> counts;
  for (const Op& op : trace.ops) {
    if (op.device >= counts.size()) counts.resize(size_t{op.device} + 1, 0);
    ++counts[op.device];
  }
  std::vector<std::vector<uint32_t>> ops(counts.size());
  for (size_t device = 0; device < counts.size(); ++device)
    reserve_huge(ops[device], counts[device]);
  // Most recordings are of one device: its ops are all there are, and are not read again.
  if (!counts.empty() && counts.back() == trace.ops.size()) {
    for (uint32_t index = 0; index < trace.ops.size(); ++index) ops.back().push_back(index);
    return ops;
  }
  for (uint32_t index = 0; index < trace.ops.size(); ++index)
    ops[trace.ops[index].device].push_back(index);
  return ops;
}

}  // namespace deepprof
