#include "analysis/model/lost_blocks.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace deepprof {
namespace {

// Neighbours that are looked at on either side: a flush may have written a block of a few rows, and
// each thread that launches hands its own buffers over, of thousands of rows, one after another.
constexpr size_t kMostBlocks = 64, kUsualBlocks = 8, kEnoughRows = 4096;
// A thread with fewer of its stream's ops is not asked: its usual silence is longer than a block.
constexpr uint64_t kLeastShare = 16;

struct Span {
  int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
  uint64_t rows = 0;

  void add(int64_t start_ns, int64_t end_ns) {
    first_ns = std::min(first_ns, start_ns);
    last_ns = std::max(last_ns, end_ns);
    ++rows;
  }
  void add(const Span& other) {
    first_ns = std::min(first_ns, other.first_ns);
    last_ns = std::max(last_ns, other.last_ns);
    rows += other.rows;
  }
};
struct Lane {
  uint32_t device;  // kHostDevice: the host's calls
  uint32_t stream;  // kNone of calls
  uint32_t thread;  // that called or launched; kNone: not known

  bool operator<(const Lane& other) const {
    return std::tuple(device, stream, thread) <
           std::tuple(other.device, other.stream, other.thread);
  }
};
using Lanes = std::map<Lane, Span>;

struct Rows {
  size_t first_op = 0, last_op = 0, first_call = 0, last_call = 0;

  size_t count() const { return last_op - first_op + (last_call - first_call); }
};

// Before times are checked: those of a fault would make a hole of years.
template <typename Row>
void add(const Row& row, const Lane& lane, Lanes& lanes) {
  if (usable_times(row.start_ns, row.duration_ns)) lanes[lane].add(row.start_ns, row.end_ns());
}

using Threads = std::unordered_map<uint32_t, uint32_t>;  // that launched, by correlation id

Threads threads_of(const Trace& trace, const Rows& rows) {
  Threads threads;
  for (size_t i = rows.first_call; i < rows.last_call; ++i)
    threads.emplace(trace.calls[i].correlation, trace.calls[i].thread);
  threads[0] = kNone;
  return threads;
}

Lanes lanes_of(const Trace& trace, const Rows& rows, const Threads& threads) {
  Lanes lanes;
  for (size_t i = rows.first_op; i < rows.last_op; ++i) {
    const Op& op = trace.ops[i];
    const auto thread = threads.find(op.correlation);
    add(op, {op.device, op.stream, thread != threads.end() ? thread->second : kNone}, lanes);
  }
  for (size_t i = rows.first_call; i < rows.last_call; ++i)
    add(trace.calls[i], {kHostDevice, kNone, trace.calls[i].thread}, lanes);
  return lanes;
}

// Leaves out threads that launched little of what their stream ran.
void drop_rare(Lanes& lanes) {
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> most;
  for (const auto& [lane, span] : lanes) {
    uint64_t& rows = most[{lane.device, lane.stream}];
    rows = std::max(rows, span.rows);
  }
  std::erase_if(lanes, [&](const auto& lane) {
    return kLeastShare * lane.second.rows < most[{lane.first.device, lane.first.stream}];
  });
}

std::map<uint32_t, Span> by_device(const Lanes& lanes) {
  std::map<uint32_t, Span> devices;
  for (const auto& [lane, span] : lanes) devices[lane.device].add(span);
  return devices;
}

// The lost block may have held all that a lane had had since the start; one with few ops may as well
// begin late.
void add_holes_from_start(const Lanes& before, const Lanes& behind, Trace& trace) {
  const std::map<uint32_t, Span> known_before = by_device(before), known_behind = by_device(behind);
  for (const auto& [lane, span] : behind) {
    const Span& device = known_behind.at(lane.device);
    if (before.count(lane) != 0 || kLeastShare * span.rows < device.rows) continue;
    const auto start = known_before.find(lane.device);
    const int64_t start_ns = start != known_before.end() ? start->second.first_ns : device.first_ns;
    trace.holes.push_back({start_ns, span.first_ns, lane.device});
  }
}

// Likewise all that a lane had until the end; one that had ended earlier shows it by how much came
// behind without it.
void add_holes_to_end(const Lanes& before, const Lanes& behind, int64_t last_ns, Trace& trace) {
  const std::map<uint32_t, Span> known_before = by_device(before), known_behind = by_device(behind);
  for (const auto& [lane, span] : before) {
    const Span& device = known_before.at(lane.device);
    if (behind.count(lane) != 0 || kLeastShare * span.rows < device.rows) continue;
    const auto end = known_behind.find(lane.device);
    if (end != known_behind.end() && end->second.rows > device.rows) continue;
    const int64_t end_ns = end != known_behind.end() ? end->second.last_ns : last_ns;
    trace.holes.push_back({span.last_ns, end_ns, lane.device});
  }
}

}  // namespace

void LostBlocks::add_holes(int64_t last_ns, Trace& trace) const {
  std::vector<size_t> places;  // of the blocks behind
  for (const uint64_t sequence : lost_) {
    const auto next = std::partition_point(blocks_.begin(), blocks_.end(), [&](const Block& block) {
      return block.sequence < sequence;
    });
    places.push_back(static_cast<size_t>(next - blocks_.begin()));
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  for (const size_t next : places) add_holes_at(next, last_ns, trace);
}

void LostBlocks::add_holes_at(size_t next, int64_t last_ns, Trace& trace) const {
  const auto begin_of = [&](size_t block) {
    return block < blocks_.size() ? blocks_[block]
                                  : Block{UINT64_MAX, trace.ops.size(), trace.calls.size()};
  };
  const auto rows_of = [&](size_t first, size_t last) {
    const Block from = begin_of(first), to = begin_of(last);
    return Rows{from.first_op, to.first_op, from.first_call, to.first_call};
  };
  size_t first = next, last = next;
  const auto wants_more = [](size_t blocks, const Rows& rows) {
    return blocks < kUsualBlocks || (blocks < kMostBlocks && rows.count() < kEnoughRows);
  };
  while (first > 0 && wants_more(next - first, rows_of(first, next))) --first;
  while (last < blocks_.size() && wants_more(last - next, rows_of(next, last))) ++last;
  const Threads threads = threads_of(trace, rows_of(first, last));
  Lanes before = lanes_of(trace, rows_of(first, next), threads),
        behind = lanes_of(trace, rows_of(next, last), threads);
  drop_rare(before);
  drop_rare(behind);
  const bool nothing_behind = rows_of(next, blocks_.size()).count() == 0;
  // A device none of whose lanes is on both sides: from its last event to its first.
  std::map<uint32_t, Span> known_before = by_device(before);
  const std::map<uint32_t, Span> known_behind = by_device(behind);
  for (const auto& [lane, span] : before) {
    const auto again = behind.find(lane);
    if (again == behind.end()) continue;
    trace.holes.push_back({span.last_ns, again->second.first_ns, lane.device});
    known_before.erase(lane.device);
  }
  if (first == 0) add_holes_from_start(before, behind, trace);
  if (last == blocks_.size()) add_holes_to_end(before, behind, last_ns, trace);
  for (const auto& [device, span] : known_before) {
    const auto again = known_behind.find(device);
    const int64_t end_ns = again != known_behind.end() ? again->second.first_ns
                           : nothing_behind            ? last_ns
                                                       : INT64_MIN;
    trace.holes.push_back({span.last_ns, end_ns, device});
  }
}

}  // namespace deepprof
