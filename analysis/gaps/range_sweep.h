// The annotation (NVTX, framework op, Python function, ...) that says most closely what a thread
// was at during a stretch of time: the shortest that covers more than half of it, of equal ones the
// first. Profilers' step markers are passed over.
//
// Costs the number of ranges times its logarithm, however many are open at a time, as long as the
// stretches do not overlap: a range that touches a stretch and covers too little of it begins or
// ends there, which happens twice in its life.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <unordered_map>
#include <vector>

#include "analysis/gaps/host_activity.h"
#include "analysis/model/trace.h"

namespace deepprof {

class RangeSweep {
 public:
  explicit RangeSweep(const HostRecord& host) : ranges_(host.ranges()) {}

  // 0: none. `start_ns` must not be smaller than in the call before.
  NameId during(uint32_t thread, int64_t start_ns, int64_t end_ns);

 private:
  struct Open {
    int64_t duration_ns;
    uint32_t index;  // into the trace's ranges: by start
    auto operator<=>(const Open&) const = default;
  };
  struct Walk {
    size_t next = 0;  // into the thread's indices
    // Begun and, as far as was looked, not ended; the shortest on top.
    std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
  };

  NameId shortest_cover(Walk& walk, int64_t start_ns, int64_t end_ns);

  const IntervalsByThread<Range>& ranges_;
  std::unordered_map<uint32_t, Walk> walks_;  // of the threads that were asked for
  std::vector<Open> too_little_;              // of one call, kept to spare its memory
};

}  // namespace deepprof
