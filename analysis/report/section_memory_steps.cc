// The tables of memory that look closer than at the run: by iteration, piece and step.
#include "analysis/report/memory_cells.h"
#include "analysis/report/memory_sections.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/report/holder.h"
#include "analysis/report/time_origin.h"
#include "libdeepprof/event/allocation_events.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

// The number of the iteration in which a time lies, of those that a kind of memory is looked at by.
Cell iteration_cell(const Figures& figures, const MemoryLane& lane, int64_t time_ns) {
  const DeviceFigures* device = iterations_for(figures, lane);
  if (device == nullptr || device->mined == nullptr) return NotAvailable{"no iterations"};
  const Iteration* iteration = holder(device->mined->iterations, time_ns);
  if (iteration == nullptr) return NotAvailable{"outside of all iterations"};
  return int64_t{iteration->number};
}

// Which steps lie in what the view names.
class StepsShown {
 public:
  explicit StepsShown(const Figures& figures) : figures_(figures) {}

  bool has(const Allocation& step) {
    const MemoryLane lane{step.device, step.kind};
    const auto [known, is_new] = windows_.try_emplace(lane);
    if (is_new) known->second = memory_windows(figures_, lane);
    if (!known->second) return is_shown(figures_, lane);
    return is_shown(figures_, lane) && holder(*known->second, step.time_ns) != nullptr;
  }

 private:
  const Figures& figures_;
  std::map<MemoryLane, std::optional<std::vector<Window>>> windows_;
};

}  // namespace

Table memory_iterations_table(const Trace& trace, const Figures& figures) {
  Table table;
  table.name = "memory_iterations";
  table.columns = {{"device", Unit::none, ""},
                   {"memory_kind", Unit::none, "kind"},
                   {"iteration", Unit::none, ""},
                   {"in_use_start_bytes", Unit::bytes, "at the start"},
                   {"in_use_least_bytes", Unit::bytes, "least in use"},
                   {"in_use_most_bytes", Unit::bytes, "most in use"},
                   {"growth_bytes", Unit::bytes, "growth"}};
  const MemoryIndex& memory = figures.memory;
  for (const auto& [lane, of] : memory.totals()) {
    const DeviceFigures* device = iterations_for(figures, lane);
    if (device == nullptr || device->mined == nullptr || !is_shown(figures, lane)) continue;
    for (size_t i = 0; i < device->mined->iterations.size(); ++i) {
      if (!figures.view.shows(*device->mined, i)) continue;
      const Iteration& iteration = device->mined->iterations[i];
      std::vector<Cell> row{device_cell(lane.first), std::string(allocation_kind_name(lane.second)),
                            int64_t{iteration.number}};
      if (const auto use = memory.in(lane, {iteration.start_ns, iteration.end_ns})) {
        for (const uint64_t bytes : {use->start_bytes, use->least_bytes, use->most_bytes})
          row.push_back(count_cell(bytes));
        row.emplace_back(use->growth_bytes());
      } else {
        row.resize(table.columns.size(), NotAvailable{"steps are missing"});
      }
      table.rows.push_back(std::move(row));
    }
  }
  table.notes = memory_notes(trace, figures);
  return table;
}

Table memory_largest_table(const Trace& trace, const Figures& figures, Names names) {
  Table table;
  table.name = "memory_largest";
  table.columns = {{"device", Unit::none, ""},
                   {"memory_kind", Unit::none, "kind"},
                   {"piece_bytes", Unit::bytes, "bytes"},
                   instant_column(names, "allocated_ns", "allocated at"),
                   {"iteration", Unit::none, "in iteration"},
                   {"address", Unit::none, ""}};
  const MemoryIndex& memory = figures.memory;
  for (const auto& [lane, of] : memory.totals()) {
    if (!is_shown(figures, lane)) continue;
    for (const LiveAllocation& live : of.largest_at_peak) {
      table.rows.push_back({device_cell(lane.first), std::string(allocation_kind_name(lane.second)),
                            count_cell(live.bytes), instant_cell(trace, names, live.time_ns),
                            iteration_cell(figures, lane, live.time_ns),
                            format_text("0x%llx", static_cast<unsigned long long>(live.address))});
    }
  }
  table.notes = memory_notes(trace, figures);
  return table;
}

Table memory_series_table(const Trace& trace, const Figures& figures, Names names) {
  const auto known = [](bool is_known, Cell cell) {
    return is_known ? std::move(cell) : Cell{NotAvailable{"not recorded"}};
  };
  Table table;
  table.name = "memory_series";
  table.columns = {instant_column(names, "time_ns", "at"),
                   {"device", Unit::none, ""},
                   {"memory_kind", Unit::none, "kind"},
                   {"step", Unit::none, ""},
                   {"piece_bytes", Unit::bytes, "bytes"},
                   {"in_use_bytes", Unit::bytes, "in use"},
                   {"address", Unit::none, ""},
                   {"correlation", Unit::none, ""}};
  StepsShown shown(figures);
  for (const Allocation& a : trace.allocations) {
    if (!shown.has(a)) continue;
    const bool has_address = a.address != 0 && !says_what_is_held(a.kind);
    table.rows.push_back(
        {instant_cell(trace, names, a.time_ns), device_cell(a.device),
         std::string(allocation_kind_name(a.kind)), std::string(allocation_step_name(a.step)),
         count_cell(a.bytes), count_cell(a.in_use_bytes),
         known(has_address, format_text("0x%llx", static_cast<unsigned long long>(a.address))),
         known(a.correlation != 0, int64_t{a.correlation})});
  }
  table.notes = memory_notes(trace, figures);
  if (names == Names::short_form && !trace.ops.empty())
    table.notes.insert(table.notes.begin(), time_origin(trace).words);
  return table;
}

}  // namespace deepprof
