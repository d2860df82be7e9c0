#include "analysis/compare/comparison_table.h"

#include <algorithm>
#include <cmath>

#include "analysis/categories/readable_name.h"
#include "analysis/compare/words.h"
#include "analysis/report/page.h"
#include "analysis/report/units.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

constexpr size_t kNameColumns = 56;

Cell text_or(const std::string& text, const char* why_not) {
  if (text.empty()) return NotAvailable{why_not};
  return text;
}
Cell number_or(bool known, double value, const char* why_not) {
  if (!known || !std::isfinite(value)) return NotAvailable{why_not};
  return value;
}

Cell confidence_of(const RunProfile& run) {
  if (run.iterations == 0) return NotAvailable{"no iterations found"};
  return PageFigure{run.confidence, confidence_word(run.confidence)};
}

const char* measure_verdict(const MeasureChange& change, Over over) {
  if (!change.typical.tested) return "not tested";
  if (over == Over::typical ? change.typical_differs : change.mean_differs) return "differs";
  if (change.one_sided) return change.mean.a == 0 ? "new" : "gone";
  if (change.small && over == Over::typical) return "small";
  return change.unclear ? "unclear" : "same";
}

// A figure of both runs, as a row for people.
std::vector<Cell> row_for_people(const std::string& words, Unit unit, const Difference& d,
                                 const std::string& verdict) {
  std::vector<Cell> row{words, scaled_text(d.a, unit), scaled_text(d.b, unit),
                        signed_text(d.change(), unit)};
  row.push_back(d.a > 0 && unit != Unit::ratio ? Cell{signed_percent(d.change() / d.a)}
                                               : Cell{std::string()});
  row.push_back(d.tested ? signed_text(d.low, unit) + " to " + signed_text(d.high, unit)
                         : std::string());
  row.emplace_back(verdict);
  return row;
}

// What is printed as a mean over all iterations, too: what a job's length follows from, and what
// differs in some iterations only.
bool shows_mean(Measure measure, const MeasureChange& change) {
  return measure == Measure::iteration || (change.mean_differs && !change.typical_differs);
}

// What follows from the time per iteration, and is not tested again.
struct Rate {
  const char *key, *words;
  Difference per_s;
};
std::vector<Rate> rates(const RunProfile& a, const RunProfile& b, const Comparison& of) {
  const Difference& mean = of[Measure::iteration].mean;
  if (of.whole_run || !of[Measure::iteration].known || mean.a <= 0 || mean.b <= 0) return {};
  Difference rate;
  rate.a = 1e9 / mean.a;
  rate.b = 1e9 / mean.b;
  std::vector<Rate> rates{{"iterations_per_s", "iterations/s", rate}};
  if (a.batch <= 0 || b.batch <= 0) return rates;
  rate.a *= a.batch;
  rate.b *= b.batch;
  rates.push_back({"items_per_s", "items/s", rate});
  return rates;
}

Table measures_for_people(const RunProfile& a, const RunProfile& b, const Comparison& of) {
  Table table;
  table.columns = {{"figure", Unit::none, of.whole_run ? "whole run" : "typical iteration"},
                   {"a", Unit::none, a.label},
                   {"b", Unit::none, b.label},
                   {"change", Unit::none, ""},
                   {"change_ratio", Unit::none, "%"},
                   {"interval", Unit::none, "99 % interval"},
                   {"verdict", Unit::none, ""}};
  for (size_t i = 0; i < kMeasures; ++i) {
    const auto measure = static_cast<Measure>(i);
    const MeasureInfo& info = measure_info(measure);
    const MeasureChange& change = of[measure];
    if (!change.known) continue;
    if (info.family == Family::part && change.mean.a == 0 && change.mean.b == 0) continue;
    const bool is_whole = of.whole_run && measure == Measure::iteration;
    table.rows.push_back(row_for_people(is_whole ? "wall time" : info.words, info.unit,
                                        change.typical, measure_verdict(change, Over::typical)));
    if (measure == Measure::energy && of.item_energy.known)
      table.rows.push_back(row_for_people("energy per item", info.unit, of.item_energy.mean,
                                          measure_verdict(of.item_energy, Over::all)));
    if (!shows_mean(measure, change) || of.whole_run) continue;
    table.rows.push_back(row_for_people("  mean of all", info.unit, change.mean,
                                        measure_verdict(change, Over::all)));
    for (const Rate& rate : measure == Measure::iteration ? rates(a, b, of) : std::vector<Rate>())
      table.rows.push_back(row_for_people(rate.words, Unit::none, rate.per_s, ""));
  }
  if (table.rows.empty()) return {};  // a header and notes on nothing only puzzle
  table.notes = {of.whole_run ? "no iterations were found: figures are of the whole run, from the "
                                "first GPU op to the last"
                              : "typical: mean of the iterations without the fastest and the "
                                "slowest fifth; parts add up to it"};
  return table;
}

void add_difference(const Difference& d, bool known, std::vector<Cell>& row) {
  const char* unknown = "not recorded in both runs";
  const char* untested = "too few iterations, or known for the whole run only";
  row.push_back(number_or(known, d.a, unknown));
  row.push_back(number_or(known, d.b, unknown));
  row.push_back(number_or(known, d.change(), unknown));
  row.push_back(number_or(known && d.a != 0, d.change() / d.a, unknown));
  row.push_back(number_or(known && d.tested, d.low, untested));
  row.push_back(number_or(known && d.tested, d.high, untested));
  row.push_back(number_or(known && d.tested, d.chance, untested));
}

Table measures_for_programs(const RunProfile& a, const RunProfile& b, const Comparison& of) {
  Table table;
  table.columns = {{"baseline", Unit::none, ""},
                   {"run", Unit::none, ""},
                   {"figure", Unit::none, ""},
                   {"over", Unit::none, ""}};
  for (const char* name : {"a", "b", "change", "change_ratio", "low", "high", "chance"})
    table.columns.push_back({name, Unit::none, ""});
  table.columns.push_back({"verdict", Unit::none, ""});
  for (size_t i = 0; i < kMeasures; ++i) {
    const auto measure = static_cast<Measure>(i);
    const MeasureChange& change = of[measure];
    for (const bool typical : {true, false}) {
      const std::string over = of.whole_run ? "run" : typical ? "typical" : "all";
      if (of.whole_run && !typical) continue;
      std::vector<Cell> row{a.label, b.label, std::string(measure_info(measure).key), over};
      add_difference(typical ? change.typical : change.mean, change.known, row);
      row.push_back(change.known ? Cell{std::string(measure_verdict(
                                       change, typical ? Over::typical : Over::all))}
                                 : Cell{NotAvailable{"not recorded"}});
      table.rows.push_back(std::move(row));
    }
  }
  const auto add = [&](const char* key, const Difference& d, const char* verdict) {
    std::vector<Cell> row{a.label, b.label, std::string(key), std::string("all")};
    add_difference(d, true, row);
    row.emplace_back(std::string(verdict));
    table.rows.push_back(std::move(row));
  };
  for (const Rate& rate : rates(a, b, of)) add(rate.key, rate.per_s, "not tested");
  if (of.item_energy.known)
    add("item_energy_mj", of.item_energy.mean, measure_verdict(of.item_energy, Over::all));
  return table;
}

std::string before_and_after(double a, double b, Unit unit) {
  return scaled_text(a, unit) + " -> " + scaled_text(b, unit);
}

std::string name_for_people(const OpChange& op) {
  const std::string& name = op.name_b.empty() ? op.name_a : op.name_b;
  if (op.verdict != OpVerdict::replaced) return short_name(name, kNameColumns);
  return short_name(op.name_a, kNameColumns / 2) + " -> " + short_name(name, kNameColumns / 2);
}

Table ops_for_people(const Comparison& of) {
  Table table;
  table.name = "ops";
  table.title = "GPU OPS THAT CHANGED   per typical iteration, streams added";
  table.columns = {{"verdict", Unit::none, ""},
                   {"count", Unit::none, ""},
                   {"time", Unit::none, ""},
                   {"change_ns", Unit::nanoseconds, "change"},
                   {"change_ratio", Unit::ratio, "%"},
                   {"category", Unit::none, ""},
                   {"name", Unit::none, ""}};
  size_t same = 0;
  for (const OpChange& op : of.ops) {
    if (op.verdict == OpVerdict::same) {
      ++same;
      continue;
    }
    table.rows.push_back(
        {std::string(verdict_name(op.verdict)),
         before_and_after(op.count_a, op.count_b, Unit::none),
         before_and_after(op.ns_a, op.ns_b, Unit::nanoseconds), op.change_ns(),
         number_or(op.ns_a > 0 && op.ns_b > 0, op.change_ns() / op.ns_a, "in one run only"),
         op.category, name_for_people(op)});
  }
  table.notes = {format_text("%zu kind%s of op did not change", same, plural(same))};
  return table;
}

Table ops_for_programs(const RunProfile& a, const RunProfile& b, const Comparison& of) {
  Table table;
  table.name = "ops";
  table.columns = {{"baseline", Unit::none, ""},         {"run", Unit::none, ""},
                   {"verdict", Unit::none, ""},          {"category", Unit::none, ""},
                   {"count_a", Unit::none, ""},          {"count_b", Unit::none, ""},
                   {"a_ns", Unit::nanoseconds, ""},      {"b_ns", Unit::nanoseconds, ""},
                   {"change_ns", Unit::nanoseconds, ""}, {"change_ratio", Unit::ratio, ""},
                   {"chance", Unit::none, ""},           {"name", Unit::none, ""},
                   {"name_before", Unit::none, ""}};
  for (const OpChange& op : of.ops) {
    table.rows.push_back(
        {a.label, b.label, std::string(verdict_name(op.verdict)), op.category, op.count_a,
         op.count_b, op.ns_a, op.ns_b, op.change_ns(),
         number_or(op.ns_a > 0 && op.ns_b > 0, op.change_ns() / op.ns_a, "in one run only"),
         op.chance, op.name_b.empty() ? op.name_a : op.name_b, op.name_a});
  }
  return table;
}

}  // namespace

Table runs_table(std::span<const RunProfile> runs) {
  Table table;
  table.name = "runs";
  table.columns = {{"run", Unit::none, ""},
                   {"gpu", Unit::none, "GPU"},
                   {"iterations", Unit::count, ""},
                   {"ops", Unit::count, "ops in the pattern"},
                   {"batch", Unit::none, ""},
                   {"confidence_ratio", Unit::ratio, "confidence"},
                   {"source", Unit::none, "recorded by"},
                   {"file", Unit::none, ""}};
  for (const RunProfile& run : runs) {
    table.rows.push_back({run.label, text_or(run.gpu, "the trace does not name it"),
                          static_cast<int64_t>(run.iterations),
                          static_cast<int64_t>(run.pattern.positions.size()),
                          number_or(run.batch > 0, run.batch, "neither --batch nor DEEPPROF_BATCH"),
                          confidence_of(run), text_or(run.source, "not known"), run.path});
  }
  return table;
}

Table measures_table(const RunProfile& a, const RunProfile& b, const Comparison& of, Names names) {
  Table table =
      names == Names::raw ? measures_for_programs(a, b, of) : measures_for_people(a, b, of);
  table.name = "measures";
  return table;
}

Table ops_table(const RunProfile& a, const RunProfile& b, const Comparison& of, Names names) {
  return names == Names::raw ? ops_for_programs(a, b, of) : ops_for_people(of);
}

Table calls_table(const RunProfile& a, const RunProfile& b, const Comparison& of) {
  Table table;
  table.name = "calls";
  table.columns = {{"baseline", Unit::none, ""}, {"run", Unit::none, ""}, {"call", Unit::none, ""}};
  for (const char* name : {"a", "b", "change", "change_ratio", "low", "high", "chance"})
    table.columns.push_back({name, Unit::none, ""});
  table.columns.push_back({"verdict", Unit::none, ""});
  for (const CallChange& call : of.calls) {
    std::vector<Cell> row{a.label, b.label, call.name};
    add_difference(call.count, true, row);
    row.emplace_back(std::string(!call.count.tested ? "not tested"
                                 : call.significant ? "differs"
                                                    : "same"));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table changes_table(const RunProfile& a, const RunProfile& b, const Comparison& of) {
  Table table;
  table.name = "changes";
  table.columns = {{"baseline", Unit::none, ""},
                   {"run", Unit::none, ""},
                   {"change_ns", Unit::nanoseconds, "change"},
                   {"key", Unit::none, ""},
                   {"sentence", Unit::none, ""}};
  for (const Change& change : of.changes)
    table.rows.push_back({a.label, b.label, change.ns, change.key, change.sentence});
  return table;
}

std::string changes_text(const RunProfile& a, const RunProfile& b, const Comparison& of,
                         int width) {
  Page page(static_cast<size_t>(width > 0 ? width : kPageColumns), false);
  page.paragraph("", pace_text(a, b, of));
  if (of.pace.mean_differs && !of.pace.typical_differs)
    page.paragraph("", pace_text(a, b, of, Over::all) + ": some iterations differ");
  for (const std::string& note : of.notes) page.paragraph("   note: ", note);
  int number = 0;
  for (const Change& change : of.changes)
    page.paragraph(format_text("%2d ", ++number), change.sentence);
  if (of.changes.empty() && of.pace.typical.tested) {
    const bool small = std::any_of(of.measures.begin(), of.measures.end(),
                                   [](const MeasureChange& change) { return change.small; });
    page.line(small ? "   What differs by more than chance differs by under 1 %."
              : of.pace.mean_differs
                  ? "   The typical iteration is not shown to differ: some slow ones do (deepprof "
                    "iterations --slow)."
              : of.pace.typical.beyond_zero()
                  ? "   Nothing else is shown to differ by more than chance."
                  : "   Nothing differs by more than chance.");
  }
  return page.take();
}

std::string pace_text(const RunProfile& a, const RunProfile& b, const Comparison& of, Over over) {
  const std::string pair = b.label + " against " + a.label + ": ";
  if (!of.pace.known) return pair + "no iterations to compare";
  const Difference& d = of.pace.over(over);
  if (of.whole_run) return pair + signed_percent(d.change() / d.a) + " time (whole run)";
  std::string text = pair + signed_percent(d.change() / d.a) +
                     (over == Over::typical ? " time per " : " mean time per ") +
                     (of.per_item ? "item" : "iteration");
  if (!d.tested) return text + " (too few iterations to know whether by chance)";
  if (!d.beyond_zero()) text += ", not beyond chance";
  text += " (99 % interval " + signed_percent(d.low / d.a) + " to " + signed_percent(d.high / d.a) +
          ")";
  return text;
}

}  // namespace deepprof
