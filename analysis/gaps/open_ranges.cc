#include "analysis/gaps/open_ranges.h"

#include <algorithm>
#include <utility>

namespace deepprof {

OpenRanges::OpenRanges(const Trace& trace, std::optional<RangeSource> source) : trace_(trace) {
  for (uint32_t index = 0; index < trace.ranges.size(); ++index) {
    const Range& range = trace.ranges[index];
    const bool wanted = source ? range.source == *source : range.source != RangeSource::step;
    if (wanted) walks_[range.thread].ranges.push_back(index);
  }
  // Of ranges that begin together the longer one is around the others, in whatever order the file
  // has them: clocks of microseconds make many such.
  const auto around = [&](uint32_t a, uint32_t b) {
    const Range &one = trace.ranges[a], &other = trace.ranges[b];
    return std::pair(one.start_ns, -one.duration_ns) <
           std::pair(other.start_ns, -other.duration_ns);
  };
  for (auto& [thread, walk] : walks_)
    std::stable_sort(walk.ranges.begin(), walk.ranges.end(), around);
}

std::span<const uint32_t> OpenRanges::at(uint32_t thread, int64_t time_ns) {
  const auto known = walks_.find(thread);
  if (known == walks_.end()) return {};
  Walk& walk = known->second;
  const auto has_ended = [&](uint32_t index) { return trace_.ranges[index].end_ns() <= time_ns; };
  for (; walk.next < walk.ranges.size(); ++walk.next) {
    const uint32_t index = walk.ranges[walk.next];
    if (trace_.ranges[index].start_ns > time_ns) break;
    while (!walk.open.empty() && has_ended(walk.open.back())) walk.open.pop_back();
    if (!has_ended(index)) walk.open.push_back(index);
  }
  found_.clear();
  const size_t last = walk.open.size() > kDeepest ? walk.open.size() - kDeepest : 0;
  const auto from = walk.open.begin() + static_cast<std::ptrdiff_t>(last);
  walk.open.erase(std::remove_if(from, walk.open.end(), has_ended), walk.open.end());
  found_.assign(walk.open.rbegin(),
                walk.open.rbegin() + static_cast<std::ptrdiff_t>(walk.open.size() - last));
  return found_;
}

}  // namespace deepprof
