#include "analysis/report/memory_cells.h"
#include "analysis/report/memory_sections.h"

#include <algorithm>
#include <string>
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
  else if (steps > trace.allocations.size())
    notes.emplace_back("peaks and counts are of the whole run; some steps were let go");
  if (pieces_unknown) notes.emplace_back("the largest pieces of some peak are not known");
  if (trace.losses.any(Severity::error) && of_cuda)
    notes.emplace_back("records were lost: what is in use may be too much or too little");
  return notes;
}

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
  const MemoryIndex& memory = figures.memory;
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
                          count_cell(of.peak_bytes), instant_cell(trace, names, of.peak_ns),
                          count_cell(of.in_use_bytes), growth, count_cell(of.allocations),
                          count_cell(of.releases), count_cell(of.allocated_bytes),
                          count_cell(of.unmatched)});
  }
  table.notes = memory_notes(trace, figures);
  return table;
}

void memory_part(const Trace& trace, const Figures& figures, Page& page) {
  const MemoryIndex& memory = figures.memory;
  if (memory.empty()) return;
  page.heading("MEMORY", "allocated by the process");
  for (const auto& [lane, of] : memory.totals()) {
    std::string text = std::string(allocation_kind_name(lane.second)) + ": at most " +
                       bytes_text(static_cast<double>(of.peak_bytes)) +
                       at_words(trace, of.peak_ns) + ", " +
                       bytes_text(static_cast<double>(of.in_use_bytes)) + " at the end";
    if (!says_what_is_held(lane.second))
      text += ", " + count_text(static_cast<int64_t>(of.allocations)) + " allocation" +
              plural(of.allocations);
    page.paragraph("  " + padded(lane_words(lane), 9), text);
  }
  for (const std::string& note : memory_notes(trace, figures)) page.paragraph("  ", note);
}

}  // namespace deepprof
