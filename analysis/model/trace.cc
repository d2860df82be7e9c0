#include "analysis/model/trace.h"

#include <algorithm>
#include <tuple>

namespace deepprof {
namespace {

// A day: longer GPU ops are recording faults (user reports show 584-year kernels).
constexpr int64_t kLongestOp_ns = int64_t{24} * 3600 * 1'000'000'000;

bool has_usable_times(const Op& op) {
  return op.start_ns > 0 && op.duration_ns >= 0 && op.duration_ns < kLongestOp_ns;
}

// Calls that can put work on a device win over others with the same correlation id (a runtime call and
// the driver call inside it share one): the outermost, i.e. the one that starts first.
void join_launches(Trace& trace) {
  std::vector<uint32_t> by_correlation;
  by_correlation.reserve(trace.calls.size());
  for (uint32_t index = 0; index < trace.calls.size(); ++index) {
    const HostCall& call = trace.calls[index];
    if (call.correlation != 0 && call.kind == Kind::api_call) by_correlation.push_back(index);
  }
  // Calls are ordered by start, so a stable sort leaves the earliest call of an id first.
  std::stable_sort(by_correlation.begin(), by_correlation.end(), [&](uint32_t a, uint32_t b) {
    return trace.calls[a].correlation < trace.calls[b].correlation;
  });
  for (Op& op : trace.ops) {
    op.launch = kNone;
    if (op.correlation == 0) continue;
    const auto found = std::lower_bound(
        by_correlation.begin(), by_correlation.end(), op.correlation,
        [&](uint32_t call, uint32_t id) { return trace.calls[call].correlation < id; });
    if (found != by_correlation.end() && trace.calls[*found].correlation == op.correlation) {
      op.launch = *found;
    }
  }
}

}  // namespace

void Trace::finish() {
  const auto unusable = std::stable_partition(ops.begin(), ops.end(), has_usable_times);
  losses[Loss::bad_timestamp] += static_cast<uint64_t>(ops.end() - unusable);
  ops.erase(unusable, ops.end());

  std::stable_sort(ops.begin(), ops.end(), [](const Op& a, const Op& b) {
    return std::tuple(a.start_ns, a.end_ns(), a.stream) < std::tuple(b.start_ns, b.end_ns(), b.stream);
  });
  const auto by_start = [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; };
  std::stable_sort(calls.begin(), calls.end(), by_start);
  std::stable_sort(ranges.begin(), ranges.end(), by_start);
  std::stable_sort(overheads.begin(), overheads.end(), by_start);
  std::stable_sort(samples.begin(), samples.end(),
                   [](const Sample& a, const Sample& b) { return a.time_ns < b.time_ns; });
  join_launches(*this);
}

std::vector<uint16_t> devices_with_ops(const Trace& trace) {
  std::vector<bool> seen(UINT16_MAX + 1, false);
  for (const Op& op : trace.ops) seen[op.device] = true;
  std::vector<uint16_t> devices;
  for (uint32_t device = 0; device < seen.size(); ++device) {
    if (seen[device]) devices.push_back(static_cast<uint16_t>(device));
  }
  return devices;
}

}  // namespace deepprof
