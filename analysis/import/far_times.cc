#include "analysis/import/far_times.h"

#include <unordered_map>

namespace deepprof {
namespace {

// A session of a profiler takes hours; processes and devices may each have a clock of their own.
constexpr int64_t kFar_ns = int64_t{30} * 24 * 3600 * 1'000'000'000;

struct Stretch {
  int64_t first_ns = 0, last_ns = 0;
  uint64_t rows = 0;
};

// Of the rows of one clock, which come in the order of their starts.
class LongestStretch {
 public:
  void add(int64_t start_ns) {
    if (now_.rows == 0 || start_ns - now_.last_ns > kFar_ns) now_ = {start_ns, start_ns, 0};
    now_.last_ns = start_ns;
    ++now_.rows;
    if (now_.rows > best_.rows) best_ = now_;
  }
  bool holds(int64_t start_ns) const {
    return start_ns >= best_.first_ns && start_ns <= best_.last_ns;
  }

 private:
  Stretch now_, best_;
};

template <typename Row, typename ClockOf>
uint64_t drop_far(std::vector<Row>& rows, const ClockOf& clock_of) {
  if (rows.empty() || rows.back().start_ns - rows.front().start_ns <= kFar_ns) return 0;
  std::unordered_map<uint32_t, LongestStretch> clocks;
  for (const Row& row : rows) clocks[clock_of(row)].add(row.start_ns);
  return std::erase_if(rows,
                       [&](const Row& row) { return !clocks[clock_of(row)].holds(row.start_ns); });
}

}  // namespace

uint64_t drop_far_times(Trace& trace) {
  const auto process_of = [&](const auto& row) {
    return row.thread < trace.threads.size() ? trace.threads[row.thread].pid : trace.process.pid;
  };
  const uint64_t ops = drop_far(trace.ops, [](const Op& op) { return op.device; });
  const uint64_t calls = drop_far(trace.calls, process_of);
  const uint64_t others =
      drop_far(trace.ranges, process_of) + drop_far(trace.overheads, [](const auto&) { return 0; });
  if (calls > 0) trace.finish();  // ops name their calls by place
  return ops + calls + others;
}

}  // namespace deepprof
