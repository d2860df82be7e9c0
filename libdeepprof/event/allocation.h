// Memory that the job takes and gives back (DEEPPROF_MEMORY=1): what a step of it is, how it
// travels through the ring, and how it lies in a trace.
#pragma once

#include <bit>
#include <cstdint>

#include "libdeepprof/event/event.h"

namespace deepprof {

// Whose memory. The number is the one on disk: append only. Kinds are never added up: a pool lies
// in what is reserved for it, a framework's tensors in memory that it took from the device.
enum class AllocationKind : uint8_t {
  unknown = 0,
  device = 1,              // cudaMalloc and the like
  managed = 2,             // cudaMallocManaged
  pinned = 3,              // of the host: cudaMallocHost, cudaHostAlloc
  pool = 4,                // cudaMallocAsync: taken from a pool of the device
  pool_reserved = 5,       // what such pools hold, in use or not
  framework = 6,           // handed out by the framework's own allocator
  framework_reserved = 7,  // what that allocator holds
};
inline constexpr size_t kAllocationKinds = 8;
const char* allocation_kind_name(AllocationKind kind);

enum class AllocationStep : uint8_t {
  allocate = 1,  // what is at the address has so many bytes now; replaces what was known of it
  release = 2,
};
const char* allocation_step_name(AllocationStep step);

struct Allocation {
  static constexpr uint32_t kHost = kHostDevice;

  int64_t time_ns = 0;
  uint64_t address = 0;       // pool_reserved: the pool's number
  uint64_t bytes = 0;         // release: of what is released, 0 where that is not known
  uint64_t in_use_bytes = 0;  // of this kind and device, after the step
  uint32_t correlation = 0;   // of the call; 0: not known
  uint32_t device = 0;        // kHost: memory of the host
  AllocationKind kind = AllocationKind::unknown;
  AllocationStep step = AllocationStep::allocate;
  // A release that nobody recorded: something else was allocated where the piece lay.
  bool inferred = false;

  friend bool operator==(const Allocation&, const Allocation&) = default;
};

// The second slot of an event of Kind::allocation, in the place of a Detail.
struct AllocationDetail {
  uint64_t address = 0, bytes = 0;
  uint64_t pool_bytes = 0;  // what the pool holds after the step
  uint16_t pool = 0;        // its number, from 1; 0: no pool, or none of this process
  AllocationKind kind = AllocationKind::unknown;
  AllocationStep step = AllocationStep::allocate;
  uint32_t unused = 0;
};
static_assert(sizeof(AllocationDetail) == sizeof(Detail));

inline Detail as_slot(const AllocationDetail& detail) { return std::bit_cast<Detail>(detail); }
inline AllocationDetail allocation_of(const Detail& slot) {
  return std::bit_cast<AllocationDetail>(slot);
}
// Event::device of an allocation on the host.
inline constexpr uint8_t kHostSlot = UINT8_MAX;

}  // namespace deepprof
