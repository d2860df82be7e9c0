#include "libdeepprof/trace/allocation_ledger.h"

#include <algorithm>
#include <tuple>

#include "libdeepprof/event/allocation_events.h"
#include "libdeepprof/trace/bytes.h"

namespace deepprof {
namespace {

constexpr uint64_t kVersion = 1;
// Of what is stored, and so of what is read: importers number devices by 16 bits, and the host.
constexpr size_t kMostLanes = (size_t{UINT16_MAX} + 2) * kAllocationKinds;
constexpr size_t kMostReleasedEarly = 10'000;
constexpr size_t kMostHeld = 10'000;  // pools and allocators that are followed beyond all pieces

size_t family_number(AllocationKind kind) {
  switch (kind) {
    case AllocationKind::pool_reserved: return 1;
    case AllocationKind::framework:
    case AllocationKind::framework_reserved: return 2;
    default: return 0;
  }
}

// Sums of more than a column of signed numbers holds stop there.
void add_up(uint64_t& sum, uint64_t bytes) { sum += std::min(bytes, uint64_t{INT64_MAX} - sum); }

// Of a step that is about to be counted.
void date(AllocationTotals& of, int64_t time_ns) {
  const bool is_first = of.allocations + of.releases == 0;
  of.first_ns = is_first ? time_ns : std::min(of.first_ns, time_ns);
  of.last_ns = is_first ? time_ns : std::max(of.last_ns, time_ns);
}

void put_totals(const AllocationLedger::Lane& lane, const AllocationTotals& of, ByteSink& sink) {
  sink.put_varint(lane.first);
  sink.put(static_cast<uint8_t>(lane.second));
  sink.put_varint(of.allocations);
  sink.put_varint(of.releases);
  sink.put_varint(of.allocated_bytes);
  sink.put_varint(of.in_use_bytes);
  sink.put_varint(of.peak_bytes);
  sink.put_zigzag(of.peak_ns);
  sink.put_zigzag(of.first_ns);
  sink.put_zigzag(of.last_ns);
  sink.put_varint(of.unmatched);
  sink.put_varint(of.largest_at_peak.size());
  for (const LiveAllocation& live : of.largest_at_peak) {
    sink.put_zigzag(live.time_ns);
    sink.put_varint(live.address);
    sink.put_varint(live.bytes);
  }
}

AllocationTotals take_totals(ByteReader& reader) {
  AllocationTotals of;
  of.allocations = reader.take_varint();
  of.releases = reader.take_varint();
  of.allocated_bytes = reader.take_varint();
  of.in_use_bytes = reader.take_varint();
  of.peak_bytes = reader.take_varint();
  of.peak_ns = reader.take_zigzag();
  of.first_ns = reader.take_zigzag();
  of.last_ns = reader.take_zigzag();
  of.unmatched = reader.take_varint();
  of.largest_at_peak.resize(reader.take_varint(AllocationLedger::kMostNamed));
  for (LiveAllocation& live : of.largest_at_peak) {
    live.time_ns = reader.take_zigzag();
    live.address = reader.take_varint();
    live.bytes = reader.take_varint();
  }
  return of;
}

}  // namespace

bool AllocationLedger::add(Allocation& step) {
  Family& family = families_[family_number(step.kind)];
  if (says_what_is_held(step.kind)) {
    const auto known = family.live.find(step.address);
    if (known != family.live.end() && known->second.bytes == step.bytes) return false;
  }
  if (step.step == AllocationStep::allocate) allocate(step, family);
  else release(step, family);
  // What is released may have been allocated as another kind.
  step.in_use_bytes = lanes_[{step.device, step.kind}].totals.in_use_bytes;
  return true;
}

void AllocationLedger::allocate(Allocation& step, Family& family) {
  LaneState& lane = lanes_[{step.device, step.kind}];
  step.bytes = std::min(step.bytes, kMostInUse_bytes - lane.totals.in_use_bytes);
  if (counts(step.time_ns)) {
    date(lane.totals, step.time_ns);
    ++lane.totals.allocations;
    add_up(lane.totals.allocated_bytes, step.bytes);
  }
  if (const auto early = family.released_early.find(step.address);
      early != family.released_early.end()) {
    const auto [released_ns, counted_in] = early->second;
    family.released_early.erase(early);
    if (step.time_ns <= released_ns) {
      if (counts(released_ns)) {
        AllocationTotals& before = lanes_[counted_in].totals;
        --before.unmatched;
        --before.releases;
        date(lane.totals, released_ns);
        ++lane.totals.releases;
      }
      step.bytes = 0;
      return;
    }
  }
  if (is_of_earlier_piece(step, family)) {
    if (counts(step.time_ns)) ++lane.totals.releases;  // it has gone: another lies there
    step.bytes = 0;
    return;
  }
  forget(step.address, family);
  grow(lane, step.bytes, std::max(step.time_ns, counted_from_ns_));
  // However many pieces live, what is held must be known to be replaced by its next size.
  const size_t most = kMostFollowed + (says_what_is_held(step.kind) ? kMostHeld : 0);
  if (followed_ >= most || step.address == 0) {
    ++lane.not_followed;
    return;
  }
  ++followed_;
  family.live[step.address] = {step.time_ns, step.bytes, {step.device, step.kind}};
  lane.by_size.emplace(step.bytes, step.address);
}

void AllocationLedger::release(Allocation& step, Family& family) {
  const auto found = family.live.find(step.address);
  if (is_of_earlier_piece(step, family)) {
    // Counted when the younger piece, or its own allocation, showed that it had gone.
    step.bytes = 0;
    std::tie(step.device, step.kind) = found->second.lane;
    return;
  }
  if (found != family.live.end()) {
    // The record of a release may say less than that of the allocation.
    step.bytes = found->second.bytes;
    std::tie(step.device, step.kind) = found->second.lane;
    count_release(lanes_[found->second.lane].totals, step.time_ns);
    forget(step.address, family);
    return;
  }
  LaneState& lane = lanes_[{step.device, step.kind}];
  count_release(lane.totals, step.time_ns);
  if (lane.not_followed > 0 || lane.earlier_bytes > 0) {
    if (lane.not_followed > 0) {
      step.bytes = std::min(step.bytes, lane.totals.in_use_bytes);
      --lane.not_followed;
    } else {
      step.bytes = std::min(step.bytes, lane.earlier_bytes);
      lane.earlier_bytes -= step.bytes;
    }
    shrink(lane, step.bytes, family);
    return;
  }
  step.bytes = 0;
  if (counts(step.time_ns)) ++lane.totals.unmatched;
  if (step.address != 0 && family.released_early.size() < kMostReleasedEarly)
    family.released_early[step.address] = {step.time_ns, {step.device, step.kind}};
}

void AllocationLedger::count_release(AllocationTotals& of, int64_t time_ns) const {
  if (!counts(time_ns)) return;
  date(of, time_ns);
  ++of.releases;
}

bool AllocationLedger::is_of_earlier_piece(const Allocation& step, const Family& family) {
  const auto found = family.live.find(step.address);
  return found != family.live.end() && !says_what_is_held(step.kind) &&
         step.time_ns < found->second.time_ns;
}

std::optional<Allocation> AllocationLedger::displaced_by(const Allocation& step) const {
  if (step.step != AllocationStep::allocate || says_what_is_held(step.kind)) return std::nullopt;
  const auto& live = families_[family_number(step.kind)].live;
  const auto found = live.find(step.address);
  if (found == live.end() || step.time_ns < found->second.time_ns) return std::nullopt;
  Allocation release = step;
  release.step = AllocationStep::release;
  std::tie(release.device, release.kind) = found->second.lane;
  release.bytes = found->second.bytes;
  release.correlation = 0;
  release.inferred = true;
  return release;
}

void AllocationLedger::start_with(const Lane& of, uint64_t bytes, int64_t time_ns) {
  LaneState& lane = lanes_[of];
  bytes = std::min(bytes, kMostInUse_bytes - lane.totals.in_use_bytes);
  lane.earlier_bytes += bytes;
  grow(lane, bytes, time_ns);
}

void AllocationLedger::count_from(int64_t from_ns, int64_t now_ns) {
  counted_from_ns_ = from_ns;
  for (auto& [key, lane] : lanes_) {
    const uint64_t in_use_bytes = lane.totals.in_use_bytes;
    lane.totals = {};
    lane.totals.in_use_bytes = lane.totals.peak_bytes = in_use_bytes;
    lane.totals.peak_ns = lane.totals.first_ns = lane.totals.last_ns = now_ns;
    lane.at_peak = in_use_bytes > 0;
  }
}

void AllocationLedger::grow(LaneState& lane, uint64_t bytes, int64_t time_ns) {
  AllocationTotals& totals = lane.totals;
  totals.in_use_bytes += bytes;
  if (totals.in_use_bytes <= totals.peak_bytes) return;
  totals.peak_bytes = totals.in_use_bytes;
  totals.peak_ns = time_ns;
  lane.at_peak = true;
}

// What lives at the peak is written down when the first piece of it goes.
void AllocationLedger::shrink(LaneState& lane, uint64_t bytes, const Family& family) {
  if (std::exchange(lane.at_peak, false)) lane.totals.largest_at_peak = largest(lane, family);
  lane.totals.in_use_bytes -= std::min(bytes, lane.totals.in_use_bytes);
}

void AllocationLedger::forget(uint64_t address, Family& family) {
  const auto found = family.live.find(address);
  if (found == family.live.end()) return;
  LaneState& lane = lanes_[found->second.lane];
  shrink(lane, found->second.bytes, family);
  lane.by_size.erase({found->second.bytes, address});
  family.live.erase(found);
  --followed_;
}

std::vector<LiveAllocation> AllocationLedger::largest(const LaneState& lane, const Family& family) {
  std::vector<LiveAllocation> found;
  for (auto at = lane.by_size.rbegin(); at != lane.by_size.rend() && found.size() < kMostNamed;
       ++at) {
    found.push_back({family.live.at(at->second).time_ns, at->second, at->first});
  }
  return found;
}

AllocationLedger::Totals AllocationLedger::totals() const {
  Totals totals;
  for (const auto& [key, lane] : lanes_) {
    const AllocationTotals& counted = lane.totals;
    if (counted.allocations + counted.releases + counted.in_use_bytes == 0) continue;
    AllocationTotals& of = totals[key] = lane.totals;
    if (lane.at_peak) of.largest_at_peak = largest(lane, families_[family_number(key.second)]);
  }
  return totals;
}

std::string AllocationLedger::encode(const Totals& totals) {
  ByteSink sink;
  sink.put_varint(kVersion);
  size_t left = std::min(totals.size(), kMostLanes);
  sink.put_varint(left);
  for (const auto& [lane, of] : totals) {
    if (left-- == 0) break;
    put_totals(lane, of, sink);
  }
  return {sink.bytes().begin(), sink.bytes().end()};
}

std::optional<AllocationLedger::Totals> AllocationLedger::decode(std::string_view bytes) {
  ByteReader reader({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  if (reader.take_varint() != kVersion) return std::nullopt;
  Totals totals;
  const uint64_t count = reader.take_varint(kMostLanes);
  for (uint64_t i = 0; i < count && !reader.failed(); ++i) {
    const auto device = static_cast<uint32_t>(reader.take_varint(UINT32_MAX));
    const auto kind = reader.take<uint8_t>();
    const AllocationTotals of = take_totals(reader);
    if (std::max({of.in_use_bytes, of.peak_bytes}) > kMostInUse_bytes ||
        of.allocated_bytes > INT64_MAX)
      reader.fail();
    // Of a kind that a newer version knows: left out.
    if (kind < kAllocationKinds) totals[{device, static_cast<AllocationKind>(kind)}] = of;
  }
  if (reader.failed() || reader.remaining() != 0) return std::nullopt;
  return totals;
}

}  // namespace deepprof
