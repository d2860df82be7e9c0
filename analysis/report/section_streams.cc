// Streams: what runs on them, how long ops wait for their turn.
#include <algorithm>
#include <array>
#include <map>

#include "analysis/report/counted_text.h"
#include "analysis/report/coverage.h"
#include "analysis/report/sections.h"

namespace deepprof {
namespace {

// Ops that are launched and not finished, over time: the depth of a stream's queue.
struct Depth {
  int64_t most = 0;
  double mean = 0;  // over the time in which anything is queued
};

Depth queue_depth(const Trace& trace, const std::vector<uint32_t>& ops) {
  std::vector<std::pair<int64_t, int>> changes;
  for (const uint32_t index : ops) {
    const Op& op = trace.ops[index];
    if (op.launch == kNone) continue;
    const int64_t launched = trace.calls[op.launch].start_ns;
    changes.emplace_back(launched, 1);
    changes.emplace_back(std::max(op.end_ns(), launched), -1);
  }
  std::sort(changes.begin(), changes.end());
  Depth depth;
  int64_t now = 0, queued = 0;
  double weighted = 0, lasting = 0;
  for (const auto& [time, change] : changes) {
    if (queued > 0) {
      weighted += static_cast<double>(queued) * static_cast<double>(time - now);
      lasting += static_cast<double>(time - now);
    }
    queued += change;
    now = time;
    depth.most = std::max(depth.most, queued);
  }
  depth.mean = lasting > 0 ? weighted / lasting : 0;
  return depth;
}

Cell share_of_time(int64_t part_ns, int64_t whole_ns) {
  if (whole_ns <= 0) return NotAvailable{"no time"};
  return static_cast<double>(part_ns) / static_cast<double>(whole_ns);
}

std::vector<Column> stream_columns(const Figures& figures) {
  return {{"device", Unit::none, ""},
          {"stream", Unit::none, ""},
          {"kernels", Unit::count, ""},
          {"copies", Unit::count, ""},
          {"fills", Unit::count, ""},
          {"busy_ns", Unit::nanoseconds, "busy"},
          {"busy_ratio", Unit::ratio,
           figures.view.is_whole() ? "of the device's run" : "of the time shown"},
          {"launch_delay_median_ns", Unit::nanoseconds, "launch delay"},
          {"launch_delay_p99_ns", Unit::nanoseconds, "p99"},
          {"queue_most", Unit::count, "queued at most"},
          {"queue_mean", Unit::none, "queued on average"}};
}

// How many ops of each sort, as the first columns have it.
void add_op_counts(const Trace& trace, const std::vector<uint32_t>& ops, std::vector<Cell>& row) {
  std::array<int64_t, kKindCount> kinds{};
  for (const uint32_t index : ops) ++kinds[static_cast<size_t>(trace.ops[index].kind)];
  const auto of = [&](Kind kind) { return kinds[static_cast<size_t>(kind)]; };
  row.emplace_back(of(Kind::kernel) + of(Kind::graph));
  row.emplace_back(of(Kind::memcpy));
  row.emplace_back(of(Kind::memset));
}

void add_queueing(const Trace& trace, const std::vector<uint32_t>& ops, std::vector<Cell>& row) {
  std::vector<int64_t> delays;
  for (const uint32_t index : ops) {
    const Op& op = trace.ops[index];
    if (op.launch != kNone) delays.push_back(op.start_ns - trace.calls[op.launch].start_ns);
  }
  if (delays.empty()) {
    for (int i = 0; i < 4; ++i) row.emplace_back(NotAvailable{"no launch records"});
    return;
  }
  const Distribution delay = distribution_of(std::move(delays));
  const Depth depth = queue_depth(trace, ops);
  row.emplace_back(delay.median_ns);
  row.emplace_back(delay.p99_ns);
  row.emplace_back(depth.most);
  row.emplace_back(depth.mean);
}

void add_streams(const Trace& trace, const DeviceFigures& device, Table& table) {
  const std::vector<Window> windows = device.shown_windows();
  int64_t recorded_ns = 0;
  for (const Account& account : account_windows(trace, device.ops, {}, windows))
    recorded_ns += account.recorded_ns();
  std::map<uint32_t, std::vector<uint32_t>> streams;
  for (const uint32_t index : device.shown()) streams[trace.ops[index].stream].push_back(index);
  for (const auto& [stream, ops] : streams) {
    const Coverage busy(trace, ops, [](const Op&) { return true; });
    int64_t busy_ns = 0;
    for (const Window& window : windows) busy_ns += busy.covered_ns(window.start_ns, window.end_ns);
    std::vector<Cell> row{int64_t{device.device}, int64_t{stream}};
    add_op_counts(trace, ops, row);
    row.emplace_back(busy_ns);
    row.push_back(share_of_time(busy_ns, recorded_ns));
    add_queueing(trace, ops, row);
    table.rows.push_back(std::move(row));
  }
}

}  // namespace

Table streams_table(const Trace& trace, const Figures& figures) {
  Table table;
  table.name = "streams";
  table.columns = stream_columns(figures);
  for (const DeviceFigures& device : figures.devices) add_streams(trace, device, table);
  table.notes = {shown_note(figures)};
  return table;
}

}  // namespace deepprof
