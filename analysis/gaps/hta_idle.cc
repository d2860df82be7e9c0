#include "analysis/gaps/hta_idle.h"

#include <unordered_map>

namespace deepprof {
namespace {

constexpr int64_t kConsecutiveKernelDelay_us = 30;

// Divisions that round towards the later and the earlier microsecond; times are positive.
int64_t up_to_us(int64_t ns) { return (ns + 999) / 1000; }
int64_t down_to_us(int64_t ns) { return ns / 1000; }

struct StreamState {
  HtaIdle idle;
  int64_t previous_end_us = 0;
  int64_t previous_end_ns = 0;
};

}  // namespace

std::vector<HtaIdle> hta_idle(const Trace& trace, std::span<const uint32_t> ops,
                              Unlaunched unlaunched) {
  if (ops.empty()) return {};
  const auto holes = holes_of(trace, trace.ops[ops[0]].device);
  std::vector<StreamState> streams;
  std::unordered_map<uint32_t, size_t> place_of_stream;
  for (const uint32_t index : ops) {
    const Op& op = trace.ops[index];
    if (op.launch == kNone && unlaunched == Unlaunched::dropped) continue;
    const int64_t start_us = up_to_us(op.start_ns), end_us = down_to_us(op.end_ns());
    const auto [place, is_new] = place_of_stream.try_emplace(op.stream, streams.size());
    if (is_new) {
      streams.push_back({{op.stream, 0, 0, 0}, end_us, op.end_ns()});
      continue;
    }
    StreamState* known = &streams[place->second];
    const bool unknown = touches_hole(holes, known->previous_end_ns, op.start_ns);
    known->previous_end_ns = op.end_ns();
    if (unknown) {
      known->previous_end_us = end_us;
      continue;
    }
    // May be negative: rounding makes ops of less than a microsecond overlap.
    const int64_t interval_us = start_us - known->previous_end_us;
    const bool late =
        op.launch == kNone || up_to_us(trace.calls[op.launch].start_ns) > known->previous_end_us;
    if (late) known->idle.host_wait_us += interval_us;
    else if (interval_us < kConsecutiveKernelDelay_us) known->idle.kernel_wait_us += interval_us;
    else known->idle.other_us += interval_us;
    known->previous_end_us = end_us;
  }
  std::vector<HtaIdle> rows;
  for (const StreamState& stream : streams) rows.push_back(stream.idle);
  return rows;
}

}  // namespace deepprof
