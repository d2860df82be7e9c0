#include "analysis/model/lost_blocks.h"

#include <algorithm>
#include <map>
#include <utility>

namespace deepprof {
namespace {

// Neighbours that are looked at on either side: a flush may have written a block of a few rows.
constexpr size_t kMostBlocks = 64, kEnoughRows = 4096;

struct Span {
  int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;

  void add(int64_t start_ns, int64_t end_ns) {
    first_ns = std::min(first_ns, start_ns);
    last_ns = std::max(last_ns, end_ns);
  }
};
// By device (kHostDevice: the host's calls) and stream or thread.
using Lanes = std::map<std::pair<uint32_t, uint32_t>, Span>;

struct Rows {
  size_t first_op = 0, last_op = 0, first_call = 0, last_call = 0;

  size_t count() const { return last_op - first_op + (last_call - first_call); }
};

// Before times are checked: those of a fault would make a hole of years.
template <typename Row>
void add(const Row& row, uint32_t device, uint32_t lane, Lanes& lanes) {
  if (usable_times(row.start_ns, row.duration_ns))
    lanes[{device, lane}].add(row.start_ns, row.end_ns());
}

Lanes lanes_of(const Trace& trace, const Rows& rows) {
  Lanes lanes;
  for (size_t i = rows.first_op; i < rows.last_op; ++i)
    add(trace.ops[i], trace.ops[i].device, trace.ops[i].stream, lanes);
  for (size_t i = rows.first_call; i < rows.last_call; ++i)
    add(trace.calls[i], kHostDevice, trace.calls[i].thread, lanes);
  return lanes;
}

std::map<uint32_t, Span> by_device(const Lanes& lanes) {
  std::map<uint32_t, Span> devices;
  for (const auto& [lane, span] : lanes) devices[lane.first].add(span.first_ns, span.last_ns);
  return devices;
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
  while (first > 0 && next - first < kMostBlocks && rows_of(first, next).count() < kEnoughRows)
    --first;
  while (last < blocks_.size() && last - next < kMostBlocks &&
         rows_of(next, last).count() < kEnoughRows)
    ++last;
  const Lanes before = lanes_of(trace, rows_of(first, next)),
              behind = lanes_of(trace, rows_of(next, last));
  const bool nothing_behind = rows_of(next, blocks_.size()).count() == 0;
  // A device none of whose lanes is on both sides: from its last event to its first.
  std::map<uint32_t, Span> known_before = by_device(before);
  const std::map<uint32_t, Span> known_behind = by_device(behind);
  for (const auto& [lane, span] : before) {
    const auto again = behind.find(lane);
    if (again == behind.end()) continue;
    trace.holes.push_back({span.last_ns, again->second.first_ns, lane.first});
    known_before.erase(lane.first);
  }
  for (const auto& [device, span] : known_before) {
    const auto again = known_behind.find(device);
    const int64_t end_ns = again != known_behind.end() ? again->second.first_ns
                           : nothing_behind            ? last_ns
                                                       : INT64_MIN;
    trace.holes.push_back({span.last_ns, end_ns, device});
  }
}

}  // namespace deepprof
