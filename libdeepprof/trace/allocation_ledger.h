// What is allocated at each moment, from the steps that take and give back: how much is in use, by
// kind and device, when it was most, and what the largest pieces were then. Kept over the whole run
// by capture and by importers, and stored as a blob (docs/trace-format.md), so that a peak stays
// known when the steps have been let go to keep the file's ceiling.
//
// One thread at a time. Some 150 bytes a piece of memory that lives, kMostFollowed of them at most.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "libdeepprof/event/allocation.h"

namespace deepprof {

struct LiveAllocation {
  int64_t time_ns = 0;  // when it was allocated
  uint64_t address = 0, bytes = 0;

  friend bool operator==(const LiveAllocation&, const LiveAllocation&) = default;
};

// Of one kind on one device.
struct AllocationTotals {
  uint64_t allocations = 0, releases = 0;
  uint64_t allocated_bytes = 0;  // by all allocations together
  uint64_t in_use_bytes = 0;     // after the last step
  uint64_t peak_bytes = 0;
  int64_t peak_ns = 0;  // when it was first reached
  int64_t first_ns = 0, last_ns = 0;
  uint64_t unmatched = 0;                       // releases of what was not seen allocated
  std::vector<LiveAllocation> largest_at_peak;  // largest first

  friend bool operator==(const AllocationTotals&, const AllocationTotals&) = default;
};

class AllocationLedger {
 public:
  using Lane = std::pair<uint32_t, AllocationKind>;  // device and kind
  using Totals = std::map<Lane, AllocationTotals>;
  static constexpr std::string_view kBlobKey = "allocation_totals";
  static constexpr size_t kMostFollowed = 200'000;
  static constexpr size_t kMostNamed = 10;  // of the largest at the peak

  // Steps in order of time; one that comes late changes nothing of what was allocated after it.
  // Fills in what is in use after it, and by how much it changes that: the bytes of a release are
  // those of what was allocated, 0 where that was not seen; likewise those of an allocation whose
  // release came before it. False: it changes nothing (a pool that has kept its size). Pieces
  // without an address are counted and not told apart.
  bool add(Allocation& step);
  // The release of what is known at the address of an allocation, whose own release was not seen:
  // to be added before it. Nothing where the address is free.
  std::optional<Allocation> displaced_by(const Allocation& step) const;
  // What was in use before the first step, of which no piece is known: releases of what was not
  // seen allocated come off it.
  void start_with(const Lane& lane, uint64_t bytes, int64_t time_ns);
  // The totals are of the steps from `from_ns` on, on top of what is in use now, at `now_ns`.
  // Earlier ones that come late change what is in use alone.
  void count_from(int64_t from_ns, int64_t now_ns);

  Totals totals() const;
  bool empty() const { return lanes_.empty(); }

  static std::string encode(const Totals& totals);
  // Nothing for bytes of a newer version, or that are damaged.
  static std::optional<Totals> decode(std::string_view bytes);

 private:
  struct Live {
    int64_t time_ns;
    uint64_t bytes;
    Lane lane;
  };
  struct EarlyRelease {
    int64_t time_ns;
    Lane counted_in;  // what the record of a release says need not be where it was allocated
  };
  struct LaneState {
    AllocationTotals totals;
    std::set<std::pair<uint64_t, uint64_t>> by_size;  // bytes, address
    uint64_t not_followed = 0;   // pieces that live and of which only the bytes are counted
    uint64_t earlier_bytes = 0;  // what is left of start_with()
    bool at_peak = false;
  };
  // Addresses mean something within a family alone: CUDA's, pools' numbers, a framework's.
  static constexpr size_t kFamilies = 3;
  struct Family {
    std::unordered_map<uint64_t, Live> live;
    // Released before it was seen allocated: the two came from different threads' buffers.
    std::unordered_map<uint64_t, EarlyRelease> released_early;
  };

  bool counts(int64_t time_ns) const { return time_ns >= counted_from_ns_; }
  void allocate(Allocation& step, Family& family);
  void release(Allocation& step, Family& family);
  void count_release(AllocationTotals& of, int64_t time_ns) const;
  // It comes late: what lies at its address now was allocated after it.
  static bool is_of_earlier_piece(const Allocation& step, const Family& family);
  static void grow(LaneState& lane, uint64_t bytes, int64_t time_ns);
  static void shrink(LaneState& lane, uint64_t bytes, const Family& family);
  void forget(uint64_t address, Family& family);
  static std::vector<LiveAllocation> largest(const LaneState& lane, const Family& family);

  std::map<Lane, LaneState> lanes_;
  std::array<Family, kFamilies> families_;
  size_t followed_ = 0;
  int64_t counted_from_ns_ = INT64_MIN;
};

}  // namespace deepprof
