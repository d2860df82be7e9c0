#include "analysis/report/memory_cells.h"
#include "analysis/report/memory_sections.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/report/quantity.h"
#include "analysis/report/time_origin.h"
#include "analysis/report/units.h"
#include "libdeepprof/event/allocation_events.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

std::string lane_words(const MemoryLane& lane) {
  return lane.first == Allocation::kHost ? "host" : format_text("GPU %u", lane.first);
}

std::string at_words(const Trace& trace, int64_t time_ns) {
  const int64_t since_ns = time_ns - time_origin(trace).time_ns;
  return since_ns < 0 ? " (before the first GPU op)" : " (at " + time_text(since_ns) + ")";
}

// Why steps that the totals count are not in the trace.
std::string missing_words(const Trace& trace) {
  std::string words = "peaks and counts are of the whole run; some steps ";
  if (trace.losses[Loss::segment_evicted] > 0)
    return words + "were let go to keep the file's ceiling";
  if (trace.losses[Loss::write_failed] > 0) return words + "could not be written";
  if (trace.losses[Loss::file_damaged] > 0) return words + "were in damaged parts of the file";
  return words + "are not in the file";
}

// The kinds whose figures are "beyond what was in use at the start".
std::string since_start_words(const MemoryIndex& memory) {
  std::string kinds;
  std::set<AllocationKind> named;
  for (const auto& [lane, of] : memory.totals()) {
    if (memory.is_since_start(lane.second) && named.insert(lane.second).second)
      kinds += (kinds.empty() ? "" : ", ") + std::string(allocation_kind_name(lane.second));
  }
  if (kinds.empty()) return kinds;
  return kinds +
         ": what is in use is beyond what was in use at the start of the recording, which "
         "the trace does not tell";
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

}  // namespace

std::vector<std::string> memory_notes(const Trace& trace, const Figures& figures) {
  const MemoryIndex& memory = figures.memory;
  std::vector<std::string> notes;
  if (memory.empty()) return notes;
  const auto& totals = memory.totals();
  const bool of_cuda = std::any_of(totals.begin(), totals.end(), [](const auto& entry) {
    return entry.first.second < AllocationKind::framework;
  });
  if (const char* words = reserve_words(figures.framework); words != nullptr && of_cuda)
    notes.emplace_back(words);
  uint64_t unmatched = 0, steps = 0;
  bool pieces_unknown = false;
  for (const auto& [lane, of] : totals) {
    unmatched += of.unmatched;
    pieces_unknown |= of.peak_bytes > 0 && of.largest_at_peak.empty();
    steps += of.allocations + of.releases;
  }
  if (unmatched > 0)
    notes.push_back(count_text(static_cast<int64_t>(unmatched)) +
                    " releases of memory that was not seen allocated are left out");
  if (trace.ops.empty()) notes.emplace_back(time_origin(trace).words);
  if (memory.totals_damaged())
    notes.emplace_back("the totals of the run cannot be read: of the steps in the file alone");
  else if (steps > trace.allocations.size()) notes.push_back(missing_words(trace));
  if (std::string words = since_start_words(memory); !words.empty())
    notes.push_back(std::move(words));
  if (pieces_unknown) notes.emplace_back("the largest pieces of some peak are not known");
  if (trace.losses.any(Severity::error) && of_cuda)
    notes.emplace_back("records were lost: what is in use may be too much or too little");
  return notes;
}

namespace {

// Of the counted iterations.
struct Trended {
  std::optional<MemoryTrend> trend;
  int64_t step_iteration = 0;  // its number, where there is a step
};

Trended trend_of(const Figures& figures, const MemoryLane& lane) {
  const DeviceFigures* device = iterations_for(figures, lane);
  if (device == nullptr || !device->has_iterations()) return {};
  Trended of{figures.memory.trend(lane, device->counted_windows())};
  if (of.trend && of.trend->step_bytes != 0)
    of.step_iteration = device->number_of(device->counted[of.trend->step_at]);
  return of;
}

Cell growth_cell(const Trended& of) {
  if (!of.trend) return NotAvailable{"no iterations, or not all of their steps"};
  return int64_t{std::llround(of.trend->bytes_per_iteration)};
}

// For programs; people have the step in the notes.
void add_trend_cells(const Trended& of, std::vector<Cell>& row) {
  const NotAvailable none{"no iterations, or not all of their steps"};
  row.emplace_back(of.trend ? Cell{of.trend->kept_bytes} : none);
  row.emplace_back(of.trend ? Cell{of.trend->step_bytes} : none);
  row.emplace_back(of.trend && of.trend->step_bytes != 0
                       ? Cell{of.step_iteration}
                       : Cell{NotAvailable{"nothing came or went once"}});
}

// "GPU 0 device: 1.00 GB more are in use from iteration 17 on, once: no growth".
std::string step_words(const MemoryLane& lane, const Trended& of) {
  const int64_t step = of.trend->step_bytes;
  return lane_words(lane) + " " + allocation_kind_name(lane.second) + ": " +
         bytes_text(static_cast<double>(std::abs(step))) + (step > 0 ? " more" : " less") +
         format_text(" are in use from iteration %lld on, once: no growth",
                     static_cast<long long>(of.step_iteration));
}

std::vector<Cell> row_of(const Trace& trace, const Figures& figures, Names names,
                         const MemoryLane& lane, const AllocationTotals& of,
                         const Trended& trended) {
  const bool whole = &of == &figures.memory.totals().at(lane);
  // Of what is held every step tells all of it: their sum is nobody's.
  const auto of_steps = [&](uint64_t value) -> Cell {
    if (says_what_is_held(lane.second)) return NotAvailable{"is held, not allocated"};
    return count_cell(value);
  };
  return {device_cell(lane.first),
          std::string(allocation_kind_name(lane.second)),
          count_cell(of.peak_bytes),
          instant_cell(trace, names, of.peak_ns),
          count_cell(of.in_use_bytes),
          growth_cell(trended),
          of_steps(of.allocations),
          of_steps(of.releases),
          of_steps(of.allocated_bytes),
          whole ? of_steps(of.unmatched) : NotAvailable{"of the whole run alone"}};
}

std::string part_words(const Trace& trace, const View& view) {
  return view.counts ? "of the iterations that were named alone" : view_words(view, trace);
}

constexpr size_t kColumns = 10;  // of a row_of()

// Nothing where the view shows nothing of it.
std::vector<Cell> shown_row(const Trace& trace, const Figures& figures, Names names,
                            const MemoryLane& lane, const AllocationTotals& whole_run,
                            const Trended& trended) {
  const auto windows = memory_windows(figures, lane);
  if (!is_shown(figures, lane) || (windows && windows->empty())) return {};
  if (!windows) return row_of(trace, figures, names, lane, whole_run, trended);
  if (const auto part = totals_in(trace, figures.memory, lane, *windows))
    return row_of(trace, figures, names, lane, *part, trended);
  std::vector<Cell> row{device_cell(lane.first), std::string(allocation_kind_name(lane.second))};
  row.resize(kColumns, NotAvailable{"steps are missing"});
  return row;
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
  if (names == Names::raw) {  // people have them in the notes
    table.columns.insert(table.columns.end(), {{"kept_bytes", Unit::bytes, ""},
                                               {"step_bytes", Unit::bytes, ""},
                                               {"step_iteration", Unit::none, ""},
                                               {"in_use_since", Unit::none, ""},
                                               {"recorded_to_ns", Unit::none, ""}});
  }
  const int64_t last_ns = last_time_ns(trace);
  for (const auto& [lane, of] : figures.memory.totals()) {
    const Trended trended = trend_of(figures, lane);
    std::vector<Cell> row = shown_row(trace, figures, names, lane, of, trended);
    if (row.empty()) continue;
    if (trended.trend && trended.trend->step_bytes != 0)
      table.notes.push_back(step_words(lane, trended));
    if (names == Names::raw) {
      add_trend_cells(trended, row);
      const bool since_start = figures.memory.is_since_start(lane.second);
      row.emplace_back(std::string(since_start ? "recording_start" : "process_start"));
      row.emplace_back(last_ns);
    }
    table.rows.push_back(std::move(row));
  }
  for (std::string& note : memory_notes(trace, figures)) table.notes.push_back(std::move(note));
  if (const std::string part = part_words(trace, figures.view); !part.empty())
    table.notes.insert(table.notes.begin(), part);
  return table;
}

void memory_part(const Trace& trace, const Figures& figures, Page& page) {
  const MemoryIndex& memory = figures.memory;
  if (memory.empty()) return;
  page.heading("MEMORY", figures.view.counts ? "allocated by the process, over the whole run"
                                             : "allocated by the process");
  for (const auto& [lane, of] : memory.totals()) {
    if (!is_shown(figures, lane)) continue;
    std::string text =
        std::string(allocation_kind_name(lane.second)) + ": at most " +
        bytes_text(static_cast<double>(of.peak_bytes)) +
        (memory.is_since_start(lane.second) ? " beyond what was in use at the start" : "") +
        at_words(trace, of.peak_ns) + ", " + bytes_text(static_cast<double>(of.in_use_bytes)) +
        " at the end";
    if (!says_what_is_held(lane.second))
      text += ", " + count_text(static_cast<int64_t>(of.allocations)) + " allocation" +
              plural(of.allocations);
    page.paragraph("  " + padded(lane_words(lane), 9), text);
  }
  for (const std::string& note : memory_notes(trace, figures)) page.paragraph("  ", note);
}

}  // namespace deepprof
