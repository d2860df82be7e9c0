#include "analysis/model/overruns.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/model/launches.h"

namespace deepprof {
namespace {

// Streams of two processes may have one number, and contexts, too.
uint32_t process_of(const Trace& trace, const Op& op) {
  if (op.launch == kNone) return trace.process.pid;
  const uint32_t thread = trace.calls[op.launch].thread;
  return thread < trace.threads.size() ? trace.threads[thread].pid : trace.process.pid;
}

}  // namespace

uint64_t drop_overruns(Trace& trace) {
  std::vector<Op>& ops = trace.ops;
  const auto is_long = [](const Op& op) { return op.duration_ns > kOverrun_ns; };
  if (std::none_of(ops.begin(), ops.end(), is_long)) return 0;
  // The first two starts of a stream so far, from behind: ops that start together have one next.
  struct Starts {
    int64_t first_ns = INT64_MAX, second_ns = INT64_MAX;
  };
  std::map<std::tuple<uint32_t, uint16_t, uint32_t, uint32_t>, Starts> streams;
  const auto last_kept = std::remove_if(ops.rbegin(), ops.rend(), [&](const Op& op) {
    if (is_migration(trace, op)) return false;
    Starts& starts = streams[{process_of(trace, op), op.device, op.context, op.stream}];
    const bool earlier = op.start_ns < starts.first_ns;
    const int64_t next_ns = earlier ? starts.first_ns : starts.second_ns;
    if (op.graph_node == 0 && is_overrun(op.end_ns(), next_ns)) return true;
    if (earlier) starts = {op.start_ns, starts.first_ns};
    return false;
  });
  const auto overruns = last_kept.base() - ops.begin();
  ops.erase(ops.begin(), last_kept.base());
  return static_cast<uint64_t>(overruns);
}

}  // namespace deepprof
