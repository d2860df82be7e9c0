// Which copies pay for pageable memory: the finding and the table of copies ask alike.
#pragma once

#include <cstdint>

#include "analysis/model/trace.h"

namespace deepprof {

// Smaller ones are staged in the call, and cost no more than from pinned memory.
inline constexpr uint64_t kStagedInCall = 65'536;

inline bool pays_for_pageable(const Detail& detail) {
  const bool pageable =
      detail.source == MemoryKind::pageable || detail.destination == MemoryKind::pageable;
  return pageable && detail.bytes > kStagedInCall;
}

}  // namespace deepprof
