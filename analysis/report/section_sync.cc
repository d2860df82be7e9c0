// Blocking calls: host time in them, and how much of that the GPU idled.
#include <algorithm>
#include <map>

#include "analysis/report/counted_text.h"
#include "analysis/report/coverage.h"
#include "analysis/report/holder.h"
#include "analysis/report/sections.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

// The calls of one blocking function.
struct BlockingCalls {
  // Shown; of those, by threads that launch on the device, in its counted iterations.
  int64_t count = 0, counted = 0;
  int64_t total_ns = 0, max_ns = 0;
  int64_t not_idle_ns = 0;  // of the total: while the device ran
};

std::map<NameId, BlockingCalls> blocking_calls(const Trace& trace, const Figures& figures,
                                               const DeviceFigures& device) {
  std::map<NameId, BlockingCalls> functions;
  const Coverage not_idle = Coverage::not_idle(trace, device.ops);
  const LaunchingThreads launching(trace, device);
  const std::vector<Window> shown = device.shown_windows(), counted = device.counted_windows();
  for (const HostCall& call : trace.calls) {
    if (call.kind != Kind::api_call || call.name >= figures.call_class_of_name.size() ||
        figures.call_class_of_name[call.name] != CallClass::blocking) {
      continue;
    }
    if (device.narrowed && holder(shown, call.start_ns) == nullptr) continue;
    BlockingCalls& of = functions[call.name];
    ++of.count;
    of.counted += holder(counted, call.start_ns) != nullptr && launching.holds(call.thread);
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
  if (of.total_ns > 0)
    row.emplace_back(static_cast<double>(idle_ns) / static_cast<double>(of.total_ns));
  else row.emplace_back(NotAvailable{"no time"});
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
                   {"gpu_idle_ratio", Unit::ratio, "of host time"}};
  if (figures.devices.empty()) return table;
  const DeviceFigures& device = figures.main();
  for (const auto& [name, of] : blocking_calls(trace, figures, device))
    table.rows.push_back(sync_row(trace.names[name], of, device));
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    return std::get<int64_t>(a[3]) > std::get<int64_t>(b[3]);
  });
  table.notes = {
      format_text(
          "calls of all threads of the process (added) that wait for the device, allocate, "
          "copy synchronously or load code; per iteration: of the threads that launch on GPU %u, "
          "idle: of it",
          device.device),
      shown_note(figures) + "; per iteration: of the counted ones"};
  return table;
}

}  // namespace deepprof
