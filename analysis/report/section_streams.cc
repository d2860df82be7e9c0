// Streams, copies and blocking calls.
#include <algorithm>
#include <array>
#include <map>

#include "analysis/report/coverage.h"
#include "analysis/report/sections.h"
#include "libdeepprof/text.h"

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

const char* copy_direction(CopyKind kind) {
  switch (kind) {
    case CopyKind::unknown: return "not known";
    case CopyKind::host_to_device:
    case CopyKind::host_to_array: return "host to device";
    case CopyKind::device_to_host:
    case CopyKind::array_to_host: return "device to host";
    case CopyKind::device_to_device:
    case CopyKind::array_to_array:
    case CopyKind::array_to_device:
    case CopyKind::device_to_array: return "device to device";
    case CopyKind::host_to_host: return "host to host";
    case CopyKind::peer_to_peer: return "peer to peer";
  }
  return "not known";
}

const char* memory_name(MemoryKind kind) {
  constexpr std::array<const char*, 8> kNames{"not known",     "pageable",      "pinned",
                                              "device",        "array",         "managed",
                                              "device static", "managed static"};
  const auto number = static_cast<size_t>(kind);
  return kNames[number < kNames.size() ? number : 0];
}

struct CopyRow {
  int64_t count = 0, total_ns = 0, largest = 0;
  uint64_t bytes = 0;
};

// Bytes a second; not known where no size was recorded.
Cell bandwidth(const CopyRow& row) {
  if (row.total_ns <= 0 || row.bytes == 0) return NotAvailable{"size or time not recorded"};
  return static_cast<double>(row.bytes) / static_cast<double>(row.total_ns) * 1e9;
}

Cell bytes_cell(const CopyRow& row, int64_t value) {
  if (row.bytes == 0) return NotAvailable{"size not recorded"};
  return value;
}

template <typename Visit>
void for_each_copy(const Trace& trace, const Figures& figures, Visit visit) {
  for (const DeviceFigures& device : figures.devices) {
    for (const uint32_t index : device.shown()) {
      const Op& op = trace.ops[index];
      if (op.kind == Kind::memcpy)
        visit(op, trace.details[op.detail < trace.details.size() ? op.detail : 0]);
    }
  }
}

}  // namespace

namespace {

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
  std::array<int64_t, 8> kinds{};
  for (const uint32_t index : ops) ++kinds[static_cast<size_t>(trace.ops[index].kind) & 7];
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
  return table;
}

Table memcpy_table(const Trace& trace, const Figures& figures) {
  Table table;
  table.name = "memcpy";
  table.columns = {{"device", Unit::none, ""},
                   {"direction", Unit::none, ""},
                   {"source", Unit::none, "from"},
                   {"destination", Unit::none, "to"},
                   {"count", Unit::count, ""},
                   {"total_bytes", Unit::bytes, "bytes"},
                   {"mean_bytes", Unit::bytes, "mean size"},
                   {"max_bytes", Unit::bytes, "largest"},
                   {"total_ns", Unit::nanoseconds, "time"},
                   {"bytes_per_second", Unit::bytes, "per second"}};
  std::map<std::tuple<uint16_t, CopyKind, MemoryKind, MemoryKind>, CopyRow> rows;
  uint64_t pageable = 0, all = 0;
  for_each_copy(trace, figures, [&](const Op& op, const Detail& detail) {
    CopyRow& row = rows[{op.device, detail.copy_kind, detail.source, detail.destination}];
    ++row.count;
    row.bytes += detail.bytes;
    row.largest = std::max(row.largest, static_cast<int64_t>(detail.bytes));
    row.total_ns += op.duration_ns;
    all += detail.bytes;
    if (detail.source == MemoryKind::pageable || detail.destination == MemoryKind::pageable)
      pageable += detail.bytes;
  });
  for (const auto& [key, row] : rows) {
    const auto& [device, kind, source, destination] = key;
    table.rows.push_back({int64_t{device}, std::string(copy_direction(kind)),
                          std::string(memory_name(source)), std::string(memory_name(destination)),
                          row.count, bytes_cell(row, static_cast<int64_t>(row.bytes)),
                          bytes_cell(row, static_cast<int64_t>(row.bytes) / row.count),
                          bytes_cell(row, row.largest), row.total_ns, bandwidth(row)});
  }
  if (100 * pageable >= all && pageable > 0) {
    table.notes.push_back(format_text(
        "%.1f %% of the bytes come from or go to pageable memory: such copies are staged "
        "and cannot overlap; use pinned memory",
        100 * static_cast<double>(pageable) / static_cast<double>(all)));
  }
  return table;
}

Table memcpy_sizes_table(const Trace& trace, const Figures& figures) {
  Table table;
  table.name = "memcpy_sizes";
  table.columns = {{"device", Unit::none, ""},
                   {"direction", Unit::none, ""},
                   {"from_bytes", Unit::bytes, "from"},
                   {"below_bytes", Unit::bytes, "below"},
                   {"count", Unit::count, ""},
                   {"total_bytes", Unit::bytes, "bytes"},
                   {"total_ns", Unit::nanoseconds, "time"},
                   {"bytes_per_second", Unit::bytes, "per second"}};
  std::map<std::tuple<uint16_t, std::string, int>, CopyRow> rows;  // by power of two
  for_each_copy(trace, figures, [&](const Op& op, const Detail& detail) {
    int power = 0;
    while (power < 62 && (uint64_t{1} << (power + 1)) <= detail.bytes) ++power;
    CopyRow& row =
        rows[{op.device, copy_direction(detail.copy_kind), detail.bytes == 0 ? -1 : power}];
    ++row.count;
    row.bytes += detail.bytes;
    row.total_ns += op.duration_ns;
  });
  for (const auto& [key, row] : rows) {
    const auto& [device, direction, power] = key;
    const bool known = power >= 0;
    std::vector<Cell> cells{int64_t{device}, direction};
    for (const int exponent : {power, power + 1}) {
      if (known) cells.emplace_back(int64_t{1} << exponent);
      else cells.emplace_back(NotAvailable{"size not recorded"});
    }
    cells.emplace_back(row.count);
    cells.push_back(bytes_cell(row, static_cast<int64_t>(row.bytes)));
    cells.emplace_back(row.total_ns);
    cells.push_back(bandwidth(row));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

namespace {

// The calls of one blocking function.
struct BlockingCalls {
  int64_t count = 0, counted = 0;  // shown; of those, in counted iterations
  int64_t total_ns = 0, max_ns = 0;
  int64_t not_idle_ns = 0;  // of the total: while the device ran
};

// Whether instants of ascending order lie in one of some windows of ascending order.
class WindowWalk {
 public:
  explicit WindowWalk(std::vector<Window> windows) : windows_(std::move(windows)) {}

  bool holds(int64_t time_ns) {
    while (at_ < windows_.size() && windows_[at_].end_ns <= time_ns) ++at_;
    return at_ < windows_.size() && windows_[at_].start_ns <= time_ns;
  }

 private:
  std::vector<Window> windows_;
  size_t at_ = 0;
};

std::map<NameId, BlockingCalls> blocking_calls(const Trace& trace, const Figures& figures,
                                               const DeviceFigures& device) {
  std::map<NameId, BlockingCalls> functions;
  const Coverage not_idle = Coverage::not_idle(trace, device.ops);
  WindowWalk shown(device.shown_windows()), counted(device.counted_windows());
  for (const HostCall& call : trace.calls) {
    if (call.kind != Kind::api_call || call.name >= figures.call_class_of_name.size() ||
        figures.call_class_of_name[call.name] != CallClass::blocking) {
      continue;
    }
    if (device.narrowed && !shown.holds(call.start_ns)) continue;
    BlockingCalls& of = functions[call.name];
    ++of.count;
    of.counted += counted.holds(call.start_ns);
    of.total_ns += call.duration_ns;
    of.max_ns = std::max(of.max_ns, call.duration_ns);
    of.not_idle_ns += not_idle.covered_ns(call.start_ns, call.end_ns());
  }
  return functions;
}

std::vector<Cell> sync_row(std::string_view function, const BlockingCalls& of,
                           const DeviceFigures& device) {
  std::vector<Cell> row{std::string(function), of.count};
  if (device.has_iterations())
    row.emplace_back(static_cast<double>(of.counted) / static_cast<double>(device.repetitions));
  else row.emplace_back(NotAvailable{"no iterations"});
  const int64_t idle_ns = of.total_ns - of.not_idle_ns;
  for (const int64_t ns : {of.total_ns, of.total_ns / of.count, of.max_ns, idle_ns})
    row.emplace_back(ns);
  row.push_back(share_of_time(idle_ns, of.total_ns));
  return row;
}

}  // namespace

Table sync_table(const Trace& trace, const Figures& figures) {
  Table table;
  table.name = "sync";
  table.columns = {{"function", Unit::none, ""},
                   {"count", Unit::count, ""},
                   {"per_iteration", Unit::none, "per iteration"},
                   {"total_ns", Unit::nanoseconds, "host time"},
                   {"mean_ns", Unit::nanoseconds, "mean"},
                   {"max_ns", Unit::nanoseconds, "longest"},
                   {"gpu_idle_ns", Unit::nanoseconds, "GPU idle in it"},
                   {"gpu_idle_ratio", Unit::ratio, "of it"}};
  if (figures.devices.empty()) return table;
  const DeviceFigures& device = figures.main();
  for (const auto& [name, of] : blocking_calls(trace, figures, device))
    table.rows.push_back(sync_row(trace.names[name], of, device));
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    return std::get<int64_t>(a[3]) > std::get<int64_t>(b[3]);
  });
  table.notes = {
      format_text("calls of all threads of the process (added) that wait for the device, allocate, "
                  "copy synchronously or load "
                  "code; per iteration and idle: of GPU %u",
                  device.device)};
  return table;
}

}  // namespace deepprof
