// What an export of a part of a trace holds beside GPU ops: the calls, ranges, samples and
// allocations of that part alone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/breakdown/account.h"
#include "analysis/model/trace.h"

namespace deepprof {

// Stretches of time: sorted, and joined where they touch.
class Scope {
 public:
  void add(Window window);  // an empty one adds nothing
  // An event without a length is in a stretch from its first nanosecond on.
  bool touches(int64_t start_ns, int64_t end_ns) const;

 private:
  std::vector<Window> windows_;  // ascending, disjoint
};

// Takes out what does not touch `scope`, and what is of another device than `device` where that is
// named. What touches it stays whole; a call that launched one of the ops stays, whenever it was
// made. Call it when the ops that are not meant are gone.
void keep_host_of(const Scope& scope, std::optional<uint32_t> device, Trace& trace);

}  // namespace deepprof
