#include "analysis/report/time_origin.h"

#include <algorithm>

namespace deepprof {
namespace {

template <typename Rows>
int64_t first_time_ns(const Rows& rows) {
  int64_t first_ns = INT64_MAX;
  for (const auto& row : rows) first_ns = std::min(first_ns, row.time_ns);
  return first_ns;
}

}  // namespace

TimeOrigin time_origin(const Trace& trace) {
  if (!trace.ops.empty()) return {trace.ops.front().start_ns, "at: since the first GPU op"};
  const int64_t sample_ns = first_time_ns(trace.samples),
                allocation_ns = first_time_ns(trace.allocations);
  if (allocation_ns < sample_ns) return {allocation_ns, "at: since the first step of allocation"};
  return {trace.samples.empty() ? 0 : sample_ns, "at: since the first sample"};
}

int64_t last_time_ns(const Trace& trace) {
  int64_t last_ns = 0;
  const auto see = [&](int64_t time_ns) { last_ns = std::max(last_ns, time_ns); };
  for (const Op& op : trace.ops) see(op.end_ns());
  for (const HostCall& call : trace.calls) see(call.start_ns + call.duration_ns);
  for (const Range& range : trace.ranges) see(range.start_ns + range.duration_ns);
  if (!trace.samples.empty()) see(trace.samples.back().time_ns);
  if (!trace.allocations.empty()) see(trace.allocations.back().time_ns);
  return last_ns;
}

}  // namespace deepprof
