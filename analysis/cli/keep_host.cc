#include "analysis/cli/keep_host.h"

#include <algorithm>

namespace deepprof {
namespace {

// Renumbers the calls that ops refer to.
void keep_calls(const Scope& scope, Trace& trace) {
  std::vector<bool> keep(trace.calls.size(), false);
  for (const Op& op : trace.ops) {
    if (op.launch != kNone) keep[op.launch] = true;
  }
  std::vector<uint32_t> index_after(trace.calls.size(), kNone);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < trace.calls.size(); ++i) {
    const HostCall call = trace.calls[i];
    if (!keep[i] && !scope.touches(call.start_ns, call.end_ns())) continue;
    index_after[i] = kept;
    trace.calls[kept++] = call;
  }
  trace.calls.resize(kept);
  for (Op& op : trace.ops) {
    if (op.launch != kNone) op.launch = index_after[op.launch];
  }
}

}  // namespace

void Scope::add(Window window) {
  if (window.start_ns >= window.end_ns) return;
  const auto first = std::find_if(windows_.begin(), windows_.end(), [&](const Window& other) {
    return other.end_ns >= window.start_ns;
  });
  auto last = first;
  for (; last != windows_.end() && last->start_ns <= window.end_ns; ++last) {
    window = {std::min(window.start_ns, last->start_ns), std::max(window.end_ns, last->end_ns)};
  }
  windows_.insert(windows_.erase(first, last), window);
}

bool Scope::touches(int64_t start_ns, int64_t end_ns) const {
  const auto first = std::upper_bound(windows_.begin(), windows_.end(), start_ns,
                                      [](int64_t t, const Window& w) { return t < w.end_ns; });
  return first != windows_.end() && (first->start_ns <= start_ns || first->start_ns < end_ns);
}

void keep_host_of(const Scope& scope, std::optional<uint32_t> device, Trace& trace) {
  const auto is_of_other = [&](uint32_t of) {
    return device && of != kHostDevice && of != *device;
  };
  keep_calls(scope, trace);
  std::erase_if(trace.ranges,
                [&](const Range& r) { return !scope.touches(r.start_ns, r.end_ns()); });
  std::erase_if(trace.overheads, [&](const Overhead& o) {
    return !scope.touches(o.start_ns, o.start_ns + o.duration_ns);
  });
  std::erase_if(trace.holes, [&](const Hole& hole) {
    return is_of_other(hole.device) || !scope.touches(hole.start_ns, hole.end_ns);
  });
  std::erase_if(trace.samples, [&](const Sample& sample) {
    return is_of_other(sample.device) || !scope.touches(sample.time_ns, sample.time_ns);
  });
  std::erase_if(trace.allocations, [&](const Allocation& step) {
    return is_of_other(step.device) || !scope.touches(step.time_ns, step.time_ns);
  });
}

}  // namespace deepprof
