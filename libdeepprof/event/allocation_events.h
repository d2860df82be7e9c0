// What a step of allocation says, by its kind, what it can say, and whether it counts among the
// events of a trace.
#pragma once

#include "libdeepprof/event/allocation.h"

namespace deepprof {

// No machine has as much as the first: a step that says more is damaged. Sums stop at the second.
inline constexpr uint64_t kMostAllocation_bytes = uint64_t{1} << 50;
inline constexpr uint64_t kMostInUse_bytes = uint64_t{1} << 60;

// Each step of such a kind says what is held from then on (the address: by which pool or allocator,
// from 1); of the others, what comes on top or goes.
constexpr bool says_what_is_held(AllocationKind kind) {
  return kind == AllocationKind::pool_reserved || kind == AllocationKind::framework_reserved;
}

// Whether losses and counts of events take a step for one: what a pool or an allocator holds comes
// with the record of another step, and what is inferred with none.
inline bool is_event(const Allocation& step) {
  return !says_what_is_held(step.kind) && !step.inferred;
}

}  // namespace deepprof
