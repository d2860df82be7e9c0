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

}  // namespace deepprof
