#include "analysis/gaps/range_sweep.h"

#include <algorithm>

namespace deepprof {

NameId RangeSweep::during(uint32_t thread, int64_t start_ns, int64_t end_ns) {
  const auto* known = ranges_.thread(thread);
  if (known == nullptr) return 0;
  Walk& walk = walks_[thread];
  walk.next = ranges_.leap(*known, walk.next, start_ns);
  for (; walk.next < known->indices.size(); ++walk.next) {
    const uint32_t index = known->indices[walk.next];
    const Range& range = ranges_.items()[index];
    if (range.start_ns >= end_ns) break;
    if (range.end_ns() > start_ns) walk.open.push({range.duration_ns, index});
  }
  return shortest_cover(walk, start_ns, end_ns);
}

NameId RangeSweep::shortest_cover(Walk& walk, int64_t start_ns, int64_t end_ns) {
  NameId found = 0;
  too_little_.clear();
  while (!walk.open.empty()) {
    const Open shortest = walk.open.top();
    const Range& range = ranges_.items()[shortest.index];
    const int64_t covered = std::min(range.end_ns(), end_ns) - std::max(range.start_ns, start_ns);
    if (2 * covered > end_ns - start_ns) {
      found = range.name;
      break;
    }
    walk.open.pop();
    if (range.end_ns() > start_ns) too_little_.push_back(shortest);
  }
  for (const Open& range : too_little_) walk.open.push(range);
  return found;
}

}  // namespace deepprof
