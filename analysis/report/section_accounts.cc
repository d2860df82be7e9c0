// Where the time goes: by run, section, iteration and cause.
#include <algorithm>
#include <cmath>

#include "analysis/categories/annotation_name.h"
#include "analysis/categories/readable_name.h"
#include "analysis/findings/findings.h"
#include "analysis/report/basis_text.h"
#include "analysis/report/quantity.h"
#include "analysis/report/sections.h"
#include "analysis/report/utf8.h"

namespace deepprof {
namespace {

Cell ratio(double part, double whole) {
  if (whole <= 0) return NotAvailable{"no time"};
  return part / whole;
}

std::vector<Column> account_columns() {
  return {{"compute_ns", Unit::nanoseconds, "compute"},
          {"communication_exposed_ns", Unit::nanoseconds, "comm exposed", 2},
          {"memcpy_exposed_ns", Unit::nanoseconds, "memcpy exposed", 4},
          {"memset_exposed_ns", Unit::nanoseconds, "memset exposed", 8},
          {"idle_ns", Unit::nanoseconds, "idle"},
          {"not_recorded_ns", Unit::nanoseconds, "not recorded", 6},
          {"busy_ratio", Unit::ratio, "busy"}};
}

void add_account(const Account& account, std::vector<Cell>& row) {
  for (const int64_t part : account.exposed_ns) row.emplace_back(part);
  row.emplace_back(account.idle_ns);
  row.emplace_back(account.not_recorded_ns);
  row.push_back(
      ratio(static_cast<double>(account.busy_ns()), static_cast<double>(account.recorded_ns())));
}

// Columns with the idle time by cause; they sum to idle_ns.
void add_cause_columns(Table& table) {
  for (size_t cause = 0; cause < kCauses; ++cause) {
    const CauseInfo& info = cause_info(static_cast<Cause>(cause));
    table.columns.push_back({std::string(info.key) + "_ns", Unit::nanoseconds, info.words});
  }
}

void add_causes(const CauseTimes& idle, std::vector<Cell>& row) {
  for (const int64_t ns : idle) row.emplace_back(ns);
}

}  // namespace

std::string name_text(std::string_view name, Names names) {
  return names == Names::raw ? std::string(name) : short_name(name, 60);
}

std::string annotation_text(std::string_view name, Names names) {
  return names == Names::raw ? std::string(annotation_name(name)) : short_annotation(name);
}

const std::string& ShownNames::of(NameId name) {
  const auto [shown, is_new] = shown_.try_emplace(name);
  if (is_new) shown->second = name_text(trace_.names[name], names_);
  return shown->second;
}

Table breakdown_table(const Figures& figures) {
  Table table;
  table.name = "breakdown";
  table.title = "WHERE THE TIME GOES";
  table.columns = {{"device", Unit::none, ""},
                   {"scope", Unit::none, ""},
                   {"iterations", Unit::count, ""},
                   {"wall_ns", Unit::nanoseconds, "wall"}};
  for (Column& column : account_columns()) table.columns.push_back(std::move(column));
  table.columns.push_back({"kernel_ratio", Unit::ratio, "kernels running", 3});
  table.columns.push_back({"overlap_ratio", Unit::ratio, "comm hidden", 7});
  const auto add = [&](const DeviceFigures& device, const std::string& scope, int64_t iterations,
                       const Account& account) {
    std::vector<Cell> row{int64_t{device.device}, scope, iterations, account.wall_ns};
    add_account(account, row);
    row.push_back(
        ratio(static_cast<double>(account.kernels_ns), static_cast<double>(account.recorded_ns())));
    const int64_t communication = account.united(Activity::communication);
    if (communication == 0) row.emplace_back(NotAvailable{"no communication"});
    else
      row.push_back(
          ratio(static_cast<double>(account.overlap_ns), static_cast<double>(communication)));
    table.rows.push_back(std::move(row));
  };
  for (const DeviceFigures& device : figures.devices) {
    add(device, "run",
        device.mined == nullptr ? 0 : static_cast<int64_t>(device.mined->iterations.size()),
        device.run);
    for (size_t s = 0; s < device.sections.size(); ++s) {
      const Section& section = device.mined->sections[s];
      add(device, section_name(section.kind), section.iterations, device.sections[s]);
    }
    if (device.has_iterations())
      add(device, "counted iterations", device.repetitions, device.basis);
  }
  table.notes = {
      "every row: compute + exposed communication + exposed memcpy + exposed memset + idle + not "
      "recorded = wall; busy and kernels are shares of wall - not recorded"};
  return table;
}

Table iteration_times_table(const Figures& figures) {
  Table table;
  table.name = "iteration_times";
  table.title = "ITERATIONS";
  table.columns = {{"device", Unit::none, ""},
                   {"kind", Unit::none, ""},
                   {"iterations", Unit::count, "found"},
                   {"counted", Unit::count, ""},
                   {"slow", Unit::count, ""},
                   {"ops", Unit::none, "ops in the pattern"},
                   {"coverage_ratio", Unit::ratio, "covers"},
                   {"confidence_ratio", Unit::ratio, "confidence"},
                   {"median_ns", Unit::nanoseconds, "median"},
                   {"mean_ns", Unit::nanoseconds, "mean"},
                   {"p95_ns", Unit::nanoseconds, "p95"},
                   {"p99_ns", Unit::nanoseconds, "p99"},
                   {"max_ns", Unit::nanoseconds, "max"},
                   {"deviation_ns", Unit::nanoseconds, "deviation"},
                   {"iterations_per_s", Unit::none, "it/s"},
                   {"trend_ratio", Unit::ratio, "trend"}};
  for (const DeviceFigures& device : figures.devices) {
    if (!device.has_iterations()) continue;
    const DeviceMined& mined = *device.mined;
    const Distribution& time = device.iteration_time;
    std::vector<Cell> row{int64_t{device.device},
                          std::string(verdict_name(mined.verdict)),
                          static_cast<int64_t>(mined.iterations.size()),
                          static_cast<int64_t>(device.counted.size()),
                          static_cast<int64_t>(find_slow(device).slow.size()),
                          mined.ops_per_iteration,
                          mined.coverage,
                          PageFigure{mined.confidence, confidence_word(mined.confidence)},
                          time.median_ns};
    row.emplace_back(static_cast<int64_t>(std::llround(time.mean_ns)));
    for (const int64_t ns : {time.p95_ns, time.p99_ns, time.max_ns}) row.emplace_back(ns);
    row.emplace_back(static_cast<int64_t>(std::llround(time.deviation_ns)));
    row.push_back(ratio(1e9, time.mean_ns));
    if (time.count >= kFewestForTrend) row.emplace_back(device.trend_ratio);
    else row.emplace_back(NotAvailable{"too few iterations"});
    table.rows.push_back(std::move(row));
  }
  return table;
}

namespace {

// What the cells of a row are made of.
struct IterationRow {
  const DeviceFigures& device;
  size_t index;
  const Iteration& iteration;
  const SlowIteration* slow;  // null: not slow
  bool counted;
};

void add_iteration_columns(bool whole, Table& table) {
  table.columns = {{"iteration", Unit::none, ""},
                   {"device", Unit::none, ""},
                   {"section", Unit::none, ""},
                   {"kind", Unit::none, "", 9}};
  if (whole) {
    table.columns.push_back(
        {"start_ns", Unit::none, "start"});  // instants in the trace's clock, not lengths
    table.columns.push_back({"end_ns", Unit::none, "end"});
  }
  table.columns.push_back({"duration_ns", Unit::nanoseconds, "duration"});
  table.columns.push_back({"ops", Unit::count, "", 3});
  if (whole) table.columns.push_back({"first_correlation", Unit::none, "correlation"});
  table.columns.push_back({"partial", Unit::none, "", 7});
  table.columns.push_back({"counted", Unit::none, "", 10});
  table.columns.push_back({"marked_step", Unit::none, "marked step", 6});
  for (Column& column : account_columns()) table.columns.push_back(std::move(column));
  if (whole) add_cause_columns(table);
  table.columns.push_back({"slow", Unit::none, "", 5});
  table.columns.push_back({"excess_ns", Unit::nanoseconds, "over median"});
  table.columns.push_back({"grown_most", Unit::none, "most of it from"});
}

Cell marked_step_cell(const MarkedSteps& marked, size_t iteration) {
  if (marked.verdict == MarksVerdict::none) return NotAvailable{"the job marked no steps"};
  const uint32_t step =
      iteration < marked.step_of_iteration.size() ? marked.step_of_iteration[iteration] : kNone;
  if (step != kNone) return marked.names[step];
  return NotAvailable{"matches no marked step"};
}

std::vector<Cell> iteration_cells(const IterationRow& of, bool whole) {
  const Iteration& iteration = of.iteration;
  std::vector<Cell> row{
      iteration.number, int64_t{of.device.device},
      std::string(section_name(of.device.mined->sections[iteration.section].kind)),
      std::string(verdict_name(of.device.mined->verdict))};
  if (whole) {
    row.emplace_back(iteration.start_ns);
    row.emplace_back(iteration.end_ns);
  }
  row.emplace_back(iteration.end_ns - iteration.start_ns);
  row.emplace_back(int64_t{iteration.last} - int64_t{iteration.first});
  if (whole) row.emplace_back(int64_t{iteration.first_correlation});
  row.emplace_back(std::string(iteration.partial ? "yes" : "no"));
  row.emplace_back(std::string(of.counted ? "yes" : "no"));
  row.push_back(marked_step_cell(of.device.marked, of.index));
  add_account(of.device.iterations[of.index], row);
  if (whole) add_causes(of.device.iteration_idle[of.index], row);
  if (whole) row.emplace_back(int64_t{of.slow != nullptr});
  else row.emplace_back(std::string(of.slow != nullptr ? "yes" : "no"));
  if (of.slow != nullptr) {
    row.emplace_back(of.slow->excess_ns);
    row.emplace_back(std::string(part_name(of.slow->grown_most)));
  } else {
    row.emplace_back(NotAvailable{"not slow"});
    row.emplace_back(NotAvailable{"not slow"});
  }
  return row;
}

}  // namespace

IterationRows::IterationRows(const Figures& figures, Names names, bool only_slow)
    : whole_(names == Names::raw) {
  for (const DeviceFigures& device : figures.devices) {
    if (device.mined == nullptr || device.mined->verdict == Verdict::none) continue;
    Marks& marks = marks_[&device];
    marks.slow = find_slow(device);
    marks.slow_of.assign(device.iterations.size(), kNone);
    for (uint32_t i = 0; i < marks.slow.slow.size(); ++i)
      marks.slow_of[marks.slow.slow[i].iteration] = i;
    marks.counted.assign(device.iterations.size(), false);
    for (const uint32_t index : device.counted) marks.counted[index] = true;
    for (size_t i = 0; i < device.iterations.size(); ++i)
      if (!only_slow || marks.slow_of[i] != kNone) rows_.push_back({&device, i});
  }
}

Table IterationRows::table(std::span<const IterationOfRow> rows) const {
  Table table;
  table.name = "iterations";
  add_iteration_columns(whole_, table);
  for (const IterationOfRow& row : rows) table.rows.push_back(cells(row));
  return table;
}

std::vector<Cell> IterationRows::cells(const IterationOfRow& row) const {
  const DeviceFigures& device = *row.device;
  const Marks& marks = marks_.at(row.device);
  const uint32_t slow = marks.slow_of[row.index];
  return iteration_cells(
      {device, row.index, device.mined->iterations[row.index],
       slow == kNone ? nullptr : &marks.slow.slow[slow], marks.counted[row.index]},
      whole_);
}

Table idle_table(const Trace& trace, const Figures& figures, Names names) {
  Table table;
  table.name = "idle";
  table.title = "WHY THE GPU WAS IDLE";
  table.columns = {{"device", Unit::none, ""},
                   {"cause", Unit::none, ""},
                   {"total_ns", Unit::nanoseconds, "total"},
                   {"per_iteration_ns", Unit::nanoseconds, "per iteration"},
                   {"share_ratio", Unit::ratio, "of idle"},
                   {"wall_ratio", Unit::ratio, "of wall"},
                   {"gaps", Unit::count, ""},
                   {"median_ns", Unit::nanoseconds, "median"},
                   {"p99_ns", Unit::nanoseconds, "p99", 3},
                   {"largest_ns", Unit::nanoseconds, "largest"},
                   {"largest_iteration", Unit::none, "in iteration", 4},
                   {"call", Unit::none, "", 1},
                   {"annotation", Unit::none, "", 5},
                   {"op_after", Unit::none, "op after"}};
  const auto named = [&](NameId id) -> Cell {
    if (id == 0) return NotAvailable{"none recorded"};
    return name_text(trace.names[id], names);
  };
  for (const DeviceFigures& device : figures.devices) {
    const BasisText texts(device);
    // What the page prints, too: per repetition, which is the run where there are no iterations.
    const auto as_on_page = [&](const Cell& cell, double value, const std::string& text) -> Cell {
      if (names == Names::raw || std::holds_alternative<NotAvailable>(cell)) return cell;
      return PageFigure{value, text.substr(text.find_first_not_of(' '))};
    };
    for (size_t i = 0; i < kCauses; ++i) {
      const CauseFigures& cause = device.causes[i];
      const int64_t total_ns = cause.pieces.total_ns,
                    mean_ns = rounded_mean(total_ns, device.repetitions);
      const Cell mean = as_on_page(mean_ns, static_cast<double>(mean_ns), texts.causes().text(i));
      std::vector<Cell> row{int64_t{device.device},
                            std::string(cause_info(static_cast<Cause>(i)).words)};
      if (device.has_iterations()) row.insert(row.end(), {total_ns, mean});
      else row.insert(row.end(), {mean, NotAvailable{"no iterations"}});
      const double share =
          static_cast<double>(total_ns) / static_cast<double>(device.basis.idle_ns);
      row.push_back(as_on_page(
          ratio(static_cast<double>(total_ns), static_cast<double>(device.basis.idle_ns)), share,
          texts.cause_shares()[i]));
      row.push_back(ratio(static_cast<double>(cause.pieces.total_ns),
                          static_cast<double>(device.basis.recorded_ns())));
      row.emplace_back(static_cast<int64_t>(cause.pieces.count));
      for (const int64_t ns : {cause.pieces.median_ns, cause.pieces.p99_ns, cause.pieces.max_ns}) {
        if (cause.pieces.count == 0) row.emplace_back(NotAvailable{"no gaps"});
        else row.emplace_back(ns);
      }
      if (cause.largest_iteration == kNone) row.emplace_back(NotAvailable{"no iteration"});
      else row.emplace_back(device.number_of(cause.largest_iteration));
      row.push_back(named(cause.top_call));
      if (cause.top_range == 0) row.push_back(named(0));
      else row.emplace_back(annotation_text(trace.names[cause.top_range], names));
      row.push_back(named(cause.top_after));
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

Table host_doing_table(const Trace& trace, const Figures& figures, Names names) {
  Table table;
  table.name = "host_doing";
  table.title = "WHAT THE HOST DID MEANWHILE   of the time outside CUDA";
  table.columns = {{"device", Unit::none, ""},
                   {"total_ns", Unit::nanoseconds, "total"},
                   {"per_iteration_ns", Unit::nanoseconds, "per iteration"},
                   {"share_ratio", Unit::ratio, "of host outside"},
                   {"annotation", Unit::none, ""}};
  for (const DeviceFigures& device : figures.devices) {
    const CauseFigures& cause = device.causes[static_cast<size_t>(Cause::host_outside)];
    for (const CauseFigures::Doing& doing : cause.doing) {
      std::vector<Cell> row{int64_t{device.device}, doing.ns};
      if (device.has_iterations()) row.emplace_back(rounded_mean(doing.ns, device.repetitions));
      else row.emplace_back(NotAvailable{"no iterations"});
      row.push_back(
          ratio(static_cast<double>(doing.ns), static_cast<double>(cause.pieces.total_ns)));
      row.emplace_back(annotation_text(trace.names[doing.range], names));
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

std::string finding_text(FindingKind kind, Names names) {
  std::string text = finding_key(kind);
  if (names == Names::short_form) std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

Table findings_table(const Trace& trace, const Figures& figures, Names names) {
  Table table;
  table.name = "findings";
  table.title = "FINDINGS";
  table.columns = {{"device", Unit::none, ""},
                   {"finding", Unit::none, ""},
                   {"share_ratio", Unit::ratio, "share"},
                   {"ceiling_ns", Unit::nanoseconds, "without it at best"},
                   {"sentence", Unit::none, ""},
                   {"next_step", Unit::none, ""}};
  const auto add = [&](const Cell& device, const Findings& findings) {
    for (const Finding& finding : findings) {
      std::vector<Cell> row{device, finding_text(finding.kind, names)};
      if (finding.share > 0 && finding.share <= 1) row.emplace_back(finding.share);
      else row.emplace_back(NotAvailable{"not a share of the time"});
      if (finding.ceiling_ns >= 0) row.emplace_back(finding.ceiling_ns);
      else row.emplace_back(NotAvailable{"not known"});
      row.emplace_back(finding.sentence);
      row.emplace_back(finding.next_step);
      table.rows.push_back(std::move(row));
    }
  };
  const Finder finder(trace, figures);
  for (const DeviceFigures& device : figures.devices)
    add(int64_t{device.device}, finder.of_device(device));
  add(NotAvailable{"of the whole job"}, finder.of_job());
  if (const char* words = finder.left_out()) table.notes.emplace_back(words);
  return table;
}

}  // namespace deepprof
