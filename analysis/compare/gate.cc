#include "analysis/compare/gate.h"

#include "analysis/compare/comparison_table.h"
#include "analysis/compare/words.h"

namespace deepprof {
namespace {

Cell ratio_or(bool known, double part, double whole, const char* why_not) {
  if (!known || whole <= 0) return NotAvailable{why_not};
  return part / whole;
}

}  // namespace

std::optional<Over> regressed(const MeasureChange& pace, double limit) {
  const std::vector<double> chances{pace.typical.chance, pace.mean.chance};
  const std::vector<bool> holds = significant(chances);
  const auto fires = [&](const Difference& difference, bool holds_here) {
    return holds_here && difference.low > 0 && difference.change() > limit * difference.a;
  };
  if (fires(pace.typical, holds[0])) return Over::typical;
  if (fires(pace.mean, holds[1])) return Over::all;
  return std::nullopt;
}

bool too_coarse(const MeasureChange& pace, double limit) {
  const double most = limit * pace.typical.a;
  return pace.typical.high > most && pace.typical.high - pace.typical.change() > most;
}

const char* gate_verdict_name(GateVerdict verdict) {
  switch (verdict) {
    case GateVerdict::passed: return "passed";
    case GateVerdict::failed: return "failed";
    case GateVerdict::inconclusive: break;
  }
  return "inconclusive";
}

GateAnswer ask_gate(const RunProfile& a, const RunProfile& b, const Comparison& of, double limit) {
  for (const RunProfile* run : {&a, &b}) {
    if (run->iterations == 0)
      return {GateVerdict::inconclusive, Over::typical, run->path + ": no iterations to gate"};
  }
  if (!of.pace.typical.tested)
    return {GateVerdict::inconclusive, Over::typical, pace_text(a, b, of)};
  if (const auto over = regressed(of.pace, limit))
    return {GateVerdict::failed, *over, pace_text(a, b, of, *over)};
  for (const RunProfile* run : {&a, &b}) {
    if (!run->doubt.empty())
      return {GateVerdict::inconclusive, Over::typical, run->path + ": " + run->doubt};
  }
  const std::string most = signed_percent(limit);
  if (too_coarse(of.pace, limit)) {
    return {GateVerdict::inconclusive, Over::typical,
            pace_text(a, b, of) + ": too few iterations, or too unlike each other, to see " + most};
  }
  for (const Over over : {Over::typical, Over::all}) {
    const Difference& difference = of.pace.over(over);
    if (difference.high > limit * difference.a)
      return {GateVerdict::passed, over,
              pace_text(a, b, of, over) + ": more than " + most + " is not ruled out"};
  }
  return {GateVerdict::passed, Over::typical, ""};
}

Table gate_table(std::span<const RunProfile> runs, std::span<const Comparison> comparisons,
                 std::span<const GateAnswer> answers, double limit) {
  Table table;
  table.name = "gate";
  table.title = "GATE";
  table.columns = {{"baseline", Unit::none, ""},
                   {"run", Unit::none, ""},
                   {"limit_ratio", Unit::ratio, "limit"},
                   {"verdict", Unit::none, ""},
                   {"over", Unit::none, ""},
                   {"per", Unit::none, ""},
                   {"change_ratio", Unit::ratio, "change"},
                   {"low_ratio", Unit::ratio, "99 % from"},
                   {"high_ratio", Unit::ratio, "to"},
                   {"reason", Unit::none, ""}};
  for (size_t i = 0; i < answers.size(); ++i) {
    const Comparison& of = comparisons[i];
    const Difference& d = of.pace.over(answers[i].over);
    const bool known = of.pace.known && !of.whole_run;
    const char* untested = "too few iterations to know";
    table.rows.push_back({runs[0].label, runs[i + 1].label, limit,
                          std::string(gate_verdict_name(answers[i].verdict)),
                          std::string(answers[i].over == Over::typical ? "typical" : "all"),
                          std::string(of.per_item ? "item" : "iteration"),
                          ratio_or(known, d.change(), d.a, "no iterations to compare"),
                          ratio_or(known && d.tested, d.low, d.a, untested),
                          ratio_or(known && d.tested, d.high, d.a, untested), answers[i].reason});
  }
  return table;
}

}  // namespace deepprof
