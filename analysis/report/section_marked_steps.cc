// Steps that the job marked, beside the mined iterations.
#include <algorithm>

#include "analysis/report/may_be_no_iteration.h"
#include "analysis/report/page.h"
#include "analysis/report/quantity.h"
#include "analysis/report/sections.h"
#include "analysis/report/units.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

std::string count(uint64_t value) { return count_text(static_cast<int64_t>(value)); }

// How far from each other matching steps and iterations begin, as a share of an iteration.
double share_of_iteration(int64_t ns, const DeviceFigures& device) {
  const int64_t median_ns = std::max<int64_t>(1, device.iteration_time.median_ns);
  return static_cast<double>(ns) / static_cast<double>(median_ns);
}

// By how much steps and iterations begin apart.
std::string starts_text(const DeviceFigures& device) {
  const MarkedSteps& marked = device.marked;
  if (marked.matched == 0) return {};
  constexpr double kNear = 0.05;
  const double farthest = share_of_iteration(marked.farthest_ns, device);
  if (farthest < 0.0005) return ", starts agree";
  if (farthest <= kNear) return ", starts within " + percent_text(farthest) + " of an iteration";
  const int64_t shift_ns = marked.shift_ns < 0 ? -marked.shift_ns : marked.shift_ns;
  const double shift = share_of_iteration(shift_ns, device);
  if (shift < 0.0005)
    return ", most starts agree, the farthest lie " + percent_text(farthest) +
           " of an iteration apart";
  return "; iterations begin " + time_text(shift_ns) + " (" + percent_text(shift) + " of one) " +
         (marked.shift_ns < 0 ? "before" : "behind") + " the marks";
}

std::string several_text(const DeviceFigures& device) {
  const MarkedSteps& marked = device.marked;
  const bool block = may_be_no_iteration(device);
  if (marked.verdict == MarksVerdict::several_in_a_step) {
    const std::string holds = " holds " + scaled_text(marked.per_step, Unit::none) +
                              (block ? " repeating blocks" : " iterations");
    if (block) return (marked.steps > 1 ? ": each" : "") + holds;
    if (marked.steps == 1) return holds + ": one mark does not tell them apart";
    return ": each" + holds +
           ". Either parts of a step were taken for iterations, or a mark spans several";
  }
  if (marked.verdict == MarksVerdict::several_steps_in_one) {
    return ": an iteration holds " + scaled_text(marked.per_iteration, Unit::none) +
           " of them. Either several steps were taken for one iteration, or parts of a step are "
           "marked";
  }
  return {};
}

}  // namespace

std::string marked_steps_text(const DeviceFigures& device) {
  const MarkedSteps& marked = device.marked;
  if (marked.verdict == MarksVerdict::none) return {};
  std::string text = count(marked.steps) + (marked.by_repetition ? " range" : " step") +
                     plural(marked.steps) + " (" + marked.marker + ")";
  if (marked.verdict == MarksVerdict::no_iterations) {
    return text + (marked.median_ns > 0 ? ", median " + time_text(marked.median_ns) : "") +
           "; no iterations were found to set them beside";
  }
  if (const std::string several = several_text(device); !several.empty()) return text + several;
  text += ", " + count(marked.matched) + " of " + count(marked.steps) +
          (marked.matched == 1 ? " matches " : " match ") +
          (may_be_no_iteration(device) ? "a block" : "an iteration") + starts_text(device);
  if (marked.outside > 0)
    text += "; " + count(marked.outside) + " iteration" + plural(marked.outside) +
            (marked.outside == 1 ? " lies" : " lie") + " outside of marked steps";
  if (marked.verdict == MarksVerdict::differ)
    text += "; deepprof iterations tells which step each iteration is";
  return text;
}

Table marked_steps_table(const Figures& figures) {
  Table table;
  table.name = "marked_steps";
  table.title = "MARKED STEPS   beside the iterations that were found";
  table.columns = {{"device", Unit::none, ""},
                   {"marker", Unit::none, ""},
                   {"verdict", Unit::none, ""},
                   {"steps", Unit::count, ""},
                   {"matched", Unit::count, ""},
                   {"outside", Unit::count, "iterations outside"},
                   {"iterations_per_step", Unit::none, "iterations in a step"},
                   {"steps_per_iteration", Unit::none, "steps in an iteration"},
                   {"median_ns", Unit::nanoseconds, "median"},
                   {"shift_ns", Unit::nanoseconds, "shift"},
                   {"farthest_ns", Unit::nanoseconds, "farthest"},
                   {"farthest_ratio", Unit::ratio, "of an iteration"}};
  for (const DeviceFigures& device : figures.devices) {
    const MarkedSteps& marked = device.marked;
    if (marked.verdict == MarksVerdict::none) continue;
    std::vector<Cell> row{int64_t{device.device}, marked.marker,
                          std::string(marks_verdict_name(marked.verdict)),
                          static_cast<int64_t>(marked.steps)};
    const auto add = [&](bool known, const char* reason, Cell cell) {
      row.push_back(known ? std::move(cell) : NotAvailable{reason});
    };
    const bool beside = marked.verdict != MarksVerdict::no_iterations, some = marked.matched > 0;
    constexpr const char* kNoIterations = "no iterations found";
    constexpr const char* kNoMatch = "no step matches an iteration";
    add(beside, kNoIterations, static_cast<int64_t>(marked.matched));
    add(beside, kNoIterations, static_cast<int64_t>(marked.outside));
    add(beside, kNoIterations, marked.per_step);
    add(beside, kNoIterations, marked.per_iteration);
    add(marked.median_ns > 0, "one step", marked.median_ns);
    add(some, kNoMatch, marked.shift_ns);
    add(some, kNoMatch, marked.farthest_ns);
    add(some, kNoMatch, share_of_iteration(marked.farthest_ns, device));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace deepprof
