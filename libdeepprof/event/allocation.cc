#include "libdeepprof/event/allocation.h"

#include <array>

namespace deepprof {

const char* allocation_kind_name(AllocationKind kind) {
  constexpr std::array<const char*, kAllocationKinds> kNames{
      "unknown", "device",        "managed",   "pinned",
      "pool",    "pool reserved", "framework", "framework reserved"};
  const auto number = static_cast<size_t>(kind);
  return kNames[number < kNames.size() ? number : 0];
}

const char* allocation_step_name(AllocationStep step) {
  return step == AllocationStep::allocate ? "allocate" : "release";
}

}  // namespace deepprof
