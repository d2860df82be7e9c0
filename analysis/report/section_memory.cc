#include "analysis/report/memory_sections.h"

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/report/quantity.h"
#include "analysis/report/units.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

Cell device_cell(uint32_t device) {
  if (device == Allocation::kHost) return std::string("host");
  return int64_t{device};
}

Cell bytes_cell(uint64_t bytes) {
  return static_cast<int64_t>(std::min<uint64_t>(bytes, INT64_MAX));
}

// Programs read instants of the trace's clock; people the time since the first GPU op, as --from
// takes it.
Column instant_column(Names names, const char* for_programs, const char* heading) {
  if (names == Names::raw) return {for_programs, Unit::none, heading};
  return {"at_ns", Unit::nanoseconds, heading};
}
Cell instant_cell(const Trace& trace, Names names, int64_t time_ns) {
  if (names == Names::raw || trace.ops.empty()) return time_ns;
  return time_ns - trace.ops.front().start_ns;
}

// Whose iterations a kind of memory is looked at by: its device's; the host's by the device with
// most GPU time. Null: none.
const DeviceFigures* iterations_for(const Figures& figures, const MemoryLane& lane) {
  if (figures.devices.empty()) return nullptr;
  return lane.first == Allocation::kHost ? &figures.main() : figures_of(figures, lane.first);
}

// The number of the iteration in which a time lies, of those that a kind of memory is looked at by.
Cell iteration_cell(const Figures& figures, const MemoryLane& lane, int64_t time_ns) {
  const DeviceFigures* device = iterations_for(figures, lane);
  if (device == nullptr || device->mined == nullptr) return NotAvailable{"no iterations"};
  for (const Iteration& iteration : device->mined->iterations) {
    if (time_ns >= iteration.start_ns && time_ns < iteration.end_ns)
      return int64_t{iteration.number};
  }
  return NotAvailable{"outside of all iterations"};
}

std::string lane_words(const MemoryLane& lane) {
  return lane.first == Allocation::kHost ? "host" : format_text("GPU %u", lane.first);
}

std::string at_words(const Trace& trace, int64_t time_ns) {
  if (trace.ops.empty()) return "";
  const int64_t since_ns = time_ns - trace.ops.front().start_ns;
  return since_ns < 0 ? " (before the first GPU op)" : " (at " + time_text(since_ns) + ")";
}

const char* reserve_words(Framework framework) {
  switch (framework) {
    case Framework::torch:
      return "PyTorch takes large pieces and hands them out by itself: these are what it keeps in "
             "reserve, not what its tensors need (torch.cuda.memory_summary())";
    case Framework::xla:
    case Framework::tensorflow:
      return "the framework takes most of the memory in large pieces and hands it out by itself: "
             "what its arrays need is not seen here";
    case Framework::none: break;
  }
  return nullptr;
}

// What must be known of the figures: whose memory CUDA is asked for, what is missing.
std::vector<std::string> memory_notes(const Trace& trace, const Figures& figures,
                                      const MemoryIndex& memory) {
  std::vector<std::string> notes;
  if (memory.empty()) return notes;
  const auto& totals = memory.totals();
  const bool of_cuda = std::any_of(totals.begin(), totals.end(), [](const auto& entry) {
    return entry.first.second < AllocationKind::framework;
  });
  if (const char* words = reserve_words(figures.framework); words != nullptr && of_cuda)
    notes.emplace_back(words);
  uint64_t unmatched = 0, steps = 0;
  for (const auto& [lane, of] : totals) {
    unmatched += of.unmatched;
    steps += of.allocations + of.releases;
  }
  if (unmatched > 0)
    notes.push_back(count_text(static_cast<int64_t>(unmatched)) +
                    " releases of memory that was not seen allocated are left out");
  if (memory.totals_damaged())
    notes.emplace_back("the totals of the run cannot be read: of the steps in the file alone");
  else if (steps > trace.allocations.size())
    notes.emplace_back("peaks and counts are of the whole run; some steps were let go");
  if (trace.losses.any(Severity::error) && of_cuda)
    notes.emplace_back("records were lost: what is in use may be too much or too little");
  return notes;
}

}  // namespace

Table memory_table(const Trace& trace, const Figures& figures, Names names) {
  Table table;
  table.name = "memory";
  table.title = "MEMORY";
  table.columns = {{"device", Unit::none, ""},
                   {"memory_kind", Unit::none, "kind"},
                   {"in_use_most_bytes", Unit::bytes, "most in use"},
                   instant_column(names, "most_ns", "at"),
                   {"in_use_end_bytes", Unit::bytes, "at the end"},
                   {"growth_bytes", Unit::bytes, "growth/iteration"},
                   {"allocations", Unit::count, ""},
                   {"releases", Unit::count, ""},
                   {"allocated_bytes", Unit::bytes, "allocated in all"},
                   {"unmatched", Unit::count, "", 1}};
  const MemoryIndex memory(trace);
  for (const auto& [lane, of] : memory.totals()) {
    Cell growth = NotAvailable{"no iterations, or not all of their steps"};
    if (const DeviceFigures* device = iterations_for(figures, lane);
        device != nullptr && device->has_iterations()) {
      const std::vector<Window> windows = device->counted_windows();
      const auto first = memory.in(lane, windows.front()), last = memory.in(lane, windows.back());
      if (first && last)
        growth =
            (static_cast<int64_t>(last->end_bytes) - static_cast<int64_t>(first->start_bytes)) /
            static_cast<int64_t>(windows.size());
    }
    table.rows.push_back({device_cell(lane.first), std::string(allocation_kind_name(lane.second)),
                          bytes_cell(of.peak_bytes), instant_cell(trace, names, of.peak_ns),
                          bytes_cell(of.in_use_bytes), growth, bytes_cell(of.allocations),
                          bytes_cell(of.releases), bytes_cell(of.allocated_bytes),
                          bytes_cell(of.unmatched)});
  }
  table.notes = memory_notes(trace, figures, memory);
  return table;
}

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
  const MemoryIndex memory(trace);
  for (const auto& [lane, of] : memory.totals()) {
    const DeviceFigures* device = iterations_for(figures, lane);
    if (device == nullptr || device->mined == nullptr) continue;
    for (const Iteration& iteration : device->mined->iterations) {
      std::vector<Cell> row{device_cell(lane.first), std::string(allocation_kind_name(lane.second)),
                            int64_t{iteration.number}};
      if (const auto use = memory.in(lane, {iteration.start_ns, iteration.end_ns})) {
        for (const uint64_t bytes : {use->start_bytes, use->least_bytes, use->most_bytes})
          row.push_back(bytes_cell(bytes));
        row.emplace_back(use->growth_bytes());
      } else {
        row.resize(table.columns.size(), NotAvailable{"steps are missing"});
      }
      table.rows.push_back(std::move(row));
    }
  }
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
  const MemoryIndex memory(trace);
  for (const auto& [lane, of] : memory.totals()) {
    for (const LiveAllocation& live : of.largest_at_peak) {
      table.rows.push_back({device_cell(lane.first), std::string(allocation_kind_name(lane.second)),
                            bytes_cell(live.bytes), instant_cell(trace, names, live.time_ns),
                            iteration_cell(figures, lane, live.time_ns),
                            format_text("0x%llx", static_cast<unsigned long long>(live.address))});
    }
  }
  table.notes = memory_notes(trace, figures, memory);
  return table;
}

Table memory_series_table(const Trace& trace) {
  Table table;
  table.name = "memory_series";
  table.columns = {{"time_ns", Unit::none, "time"},       {"device", Unit::none, ""},
                   {"memory_kind", Unit::none, "kind"},   {"step", Unit::none, ""},
                   {"piece_bytes", Unit::bytes, "bytes"}, {"in_use_bytes", Unit::bytes, "in use"},
                   {"address", Unit::none, ""},           {"correlation", Unit::none, ""}};
  for (const Allocation& a : trace.allocations) {
    table.rows.push_back(
        {a.time_ns, device_cell(a.device), std::string(allocation_kind_name(a.kind)),
         std::string(allocation_step_name(a.step)), bytes_cell(a.bytes), bytes_cell(a.in_use_bytes),
         format_text("0x%llx", static_cast<unsigned long long>(a.address)),
         a.correlation != 0 ? Cell{int64_t{a.correlation}} : Cell{NotAvailable{"not recorded"}}});
  }
  return table;
}

void memory_part(const Trace& trace, const Figures& figures, Page& page) {
  const MemoryIndex memory(trace);
  if (memory.empty()) return;
  page.heading("MEMORY", "allocated by the process");
  for (const auto& [lane, of] : memory.totals()) {
    std::string line = "  " + padded(lane_words(lane), 9) + allocation_kind_name(lane.second) +
                       ": at most " + bytes_text(static_cast<double>(of.peak_bytes)) +
                       at_words(trace, of.peak_ns) + ", " +
                       bytes_text(static_cast<double>(of.in_use_bytes)) + " at the end";
    page.line(line + "   " + count_text(static_cast<int64_t>(of.allocations)) + " allocations");
  }
  for (const std::string& note : memory_notes(trace, figures, memory)) page.paragraph("  ", note);
}

}  // namespace deepprof
