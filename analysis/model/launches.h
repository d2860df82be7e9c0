// Ops that no call launches.
#pragma once

#include "analysis/model/trace.h"

namespace deepprof {

// Pages of managed memory move by themselves when somebody touches them.
inline bool is_migration(const Trace& trace, const Op& op) {
  if (op.kind != Kind::memcpy || op.launch != kNone || op.detail >= trace.details.size())
    return false;
  const Detail& detail = trace.details[op.detail];
  return detail.source == MemoryKind::managed && detail.destination == MemoryKind::managed;
}

inline bool lacks_launch(const Trace& trace, const Op& op) {
  return op.launch == kNone && !is_migration(trace, op);
}

}  // namespace deepprof
