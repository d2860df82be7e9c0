// The event that travels from the collector through the ring to the trace writer.
//
// A record takes one 32-byte slot, or two when it carries a Detail (`has_detail`): the core first,
// the detail directly behind it. Both are trivially copyable and hold no pointers, so a ring in
// shared memory stays readable after the process has been killed.
//
//   Event   | start_ns 8 | dur_lo 4 | dur_hi 2 | device 1 | kind+detail bit 1 | correlation 4 |
//           | name 4 | track 4 | graph_node 4 |
#pragma once

#include <cstdint>

#include "libdeepprof/event/kind.h"

namespace deepprof {

using NameId = uint32_t;  // index into the trace's name table; 0 is the empty name

// In place of a device's number, of samples, holes and memory: the host.
inline constexpr uint32_t kHostDevice = UINT32_MAX;

// A day or more, no start: recording faults (user reports show 584-year kernels).
inline constexpr bool usable_times(int64_t start_ns, int64_t duration_ns) {
  constexpr int64_t kLongest_ns = int64_t{24} * 3600 * 1'000'000'000;
  return start_ns > 0 && start_ns < INT64_MAX - kLongest_ns && duration_ns >= 0 &&
         duration_ns < kLongest_ns;
}

struct Event {
  int64_t start_ns = 0;      // in the GPU records' clock
  uint32_t duration_lo = 0;  // 48-bit duration in ns: 78 hours
  uint16_t duration_hi = 0;
  uint8_t device = 0;
  uint8_t kind_and_detail = 0;  // low 7 bits Kind, top bit: a Detail slot follows
  uint32_t correlation = 0;     // joins a GPU op with the call that launched it
  NameId name = 0;              // kernel name, copy direction, API function
  uint32_t track = 0;           // GPU ops and sync: stream id; host calls: index of the thread
  uint32_t graph_node = 0;      // GPU ops of a graph launch: node id within the graph, else 0

  static constexpr uint64_t kMaxDuration_ns = (uint64_t{1} << 48) - 1;

  Kind kind() const { return static_cast<Kind>(kind_and_detail & 0x7f); }
  bool has_detail() const { return (kind_and_detail & 0x80) != 0; }
  void set_kind(Kind kind, bool detail) {
    kind_and_detail = static_cast<uint8_t>(static_cast<uint8_t>(kind) | (detail ? 0x80 : 0));
  }
  int64_t duration_ns() const {
    return static_cast<int64_t>((static_cast<uint64_t>(duration_hi) << 32) | duration_lo);
  }
  // Saturates at kMaxDuration_ns. Precondition: duration_ns >= 0.
  void set_duration(int64_t duration_ns) {
    uint64_t clipped = static_cast<uint64_t>(duration_ns);
    if (clipped > kMaxDuration_ns) clipped = kMaxDuration_ns;
    duration_lo = static_cast<uint32_t>(clipped);
    duration_hi = static_cast<uint16_t>(clipped >> 32);
  }
  int64_t end_ns() const { return start_ns + duration_ns(); }
};
static_assert(sizeof(Event) == 32);

// What a copy moved between. The numbers are those on disk; unknown values read back as `unknown`.
enum class CopyKind : uint8_t {
  unknown = 0,
  host_to_device = 1,
  device_to_host = 2,
  host_to_array = 3,
  array_to_host = 4,
  array_to_array = 5,
  array_to_device = 6,
  device_to_array = 7,
  device_to_device = 8,
  host_to_host = 9,
  peer_to_peer = 10,
};
enum class MemoryKind : uint8_t {
  unknown = 0,
  pageable = 1,
  pinned = 2,
  device = 3,
  array = 4,
  managed = 5,
  device_static = 6,
  managed_static = 7,
};

// What else is known of a GPU op or a sync. Repeats heavily in a training job, so traces store each
// distinct Detail once. Fields that do not belong to the op's kind are 0.
struct Detail {
  uint64_t bytes = 0;   // memcpy, memset: payload; communication kernel: see docs/metrics.md
  uint32_t grid_x = 0;  // kernel: launch grid in blocks
  uint16_t grid_y = 0, grid_z = 0;
  uint16_t block_x = 0, block_y = 0, block_z = 0;  // kernel: threads per block
  uint16_t registers = 0;                          // kernel: registers per thread
  uint32_t shared_bytes = 0;  // kernel: static + dynamic shared memory per block
  CopyKind copy_kind = CopyKind::unknown;
  MemoryKind source = MemoryKind::unknown, destination = MemoryKind::unknown;
  uint8_t sync_type = 0;  // sync: 1 event, 2 stream wait event, 3 stream, 4 context

  friend bool operator==(const Detail&, const Detail&) = default;
};
static_assert(sizeof(Detail) == 32);

}  // namespace deepprof
