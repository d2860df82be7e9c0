#include "analysis/compare/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/findings/slow.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

constexpr double kLeastCalls = 0.25;       // more or fewer calls per iteration
constexpr double kUnlikePatterns = 1.7;    // ratio of ops from which the iterations may not be the same thing

constexpr const char* kWholeRuns = "whole run, one each: no significance can be said";

bool is_time(Measure measure) { return measure_info(measure).unit == Unit::nanoseconds; }

class Comparer {
 public:
  Comparer(const RunProfile& a, const RunProfile& b, Comparison& out) : a_(a), b_(b), out_(out) {}

  void run() {
    if (a_.whole_run != b_.whole_run) return notes();
    out_.whole_run = a_.whole_run;
    for (size_t i = 0; i < kMeasures; ++i) compare(static_cast<Measure>(i));
    judge();
    pace();
    out_.ops = op_changes(a_, b_);
    calls();
    notes();
  }

 private:
  MeasureChange& change(Measure measure) { return out_.measures[index_of(measure)]; }

  void compare(Measure measure) {
    const Measured &in_a = a_[measure], &in_b = b_[measure];
    MeasureChange& result = change(measure);
    result.known = in_a.known && in_b.known;
    if (!result.known) return;
    if (!in_a.values.empty() && !in_b.values.empty()) {
      const double step = is_time(measure) ? kStepDeviation * std::max(a_.clock_ns, b_.clock_ns) : 0;
      result.typical = difference_of(in_a.values, a_.resamples, in_b.values, b_.resamples, Over::typical, step);
      result.mean = difference_of(in_a.values, a_.resamples, in_b.values, b_.resamples, Over::all, step);
    }
    move_to(result.typical, in_a.typical, in_b.typical);
    move_to(result.mean, in_a.mean, in_b.mean);
  }
  // Tests look at the sampled iterations; what is printed are the means of all.
  static void move_to(Difference& difference, double a, double b) {
    const double shift = (b - a) - difference.change();
    difference.a = a;
    difference.b = b;
    difference.low += shift;
    difference.high += shift;
  }

  // Parts are judged together, and so are the other figures.
  void judge() {
    judge_together({Measure::iteration});
    std::vector<Measure> parts, others;
    for (size_t i = 1; i < kMeasures; ++i) {
      const auto measure = static_cast<Measure>(i);
      if (!change(measure).typical.tested) continue;
      (measure_info(measure).part ? parts : others).push_back(measure);
    }
    judge_together(parts);
    judge_together(others);
  }
  void judge_together(const std::vector<Measure>& family) {
    std::vector<double> chances;
    for (const Measure measure : family) {
      chances.push_back(change(measure).typical.chance);
      chances.push_back(change(measure).mean.chance);
    }
    const std::vector<bool> holds = deepprof::significant(chances);
    for (size_t i = 0; i < family.size(); ++i) {
      MeasureChange& result = change(family[i]);
      result.significant =
          (holds[2 * i] && is_large(family[i], result.typical, a_[Measure::iteration].typical)) ||
          (holds[2 * i + 1] && is_large(family[i], result.mean, a_[Measure::iteration].mean));
    }
  }
  static bool is_large(Measure measure, const Difference& difference, double iteration_ns) {
    const bool of_iteration = measure_info(measure).part || measure == Measure::idle;
    const double whole = measure_info(measure).unit == Unit::ratio ? 1
                         : of_iteration                            ? iteration_ns
                                                                   : std::fabs(difference.a);
    const bool beyond_zero = difference.low > 0 || difference.high < 0;
    return beyond_zero && std::fabs(difference.change()) >= kLeastChange * whole;
  }

  void pace() {
    out_.per_item = !out_.whole_run && a_.batch > 0 && b_.batch > 0 && a_.batch != b_.batch;
    out_.pace = change(Measure::iteration);
    if (!out_.per_item || !out_.pace.known) return;
    const auto scaled = [](const RunProfile& run) {
      std::vector<double> values = run[Measure::iteration].values;
      for (double& value : values) value /= run.batch;
      return values;
    };
    out_.pace = compare_durations(scaled(a_), a_.resamples, scaled(b_), b_.resamples);
    move_to(out_.pace.typical, a_[Measure::iteration].typical / a_.batch, b_[Measure::iteration].typical / b_.batch);
    move_to(out_.pace.mean, a_[Measure::iteration].mean / a_.batch, b_[Measure::iteration].mean / b_.batch);
  }

  void calls() {
    if (!a_.knows_blocking_calls || !b_.knows_blocking_calls) return;
    std::map<std::string, std::pair<const CallTally*, const CallTally*>> by_name;
    for (const CallTally& call : a_.calls) by_name[call.name].first = &call;
    for (const CallTally& call : b_.calls) by_name[call.name].second = &call;
    const std::vector<double> none_a(a_.resamples.size(), 0), none_b(b_.resamples.size(), 0);
    std::vector<double> chances;
    for (const auto& [name, tallies] : by_name) {
      CallChange call;
      call.name = name;
      call.count = difference_of(tallies.first ? tallies.first->count : none_a, a_.resamples,
                                 tallies.second ? tallies.second->count : none_b, b_.resamples, Over::typical);
      chances.push_back(call.count.chance);
      out_.calls.push_back(std::move(call));
    }
    const std::vector<bool> holds = deepprof::significant(chances);
    for (size_t i = 0; i < holds.size(); ++i)
      out_.calls[i].significant = holds[i] && std::fabs(out_.calls[i].count.change()) >= kLeastCalls;
  }

  void notes() {
    for (const RunProfile* run : {&a_, &b_}) {
      if (!run->doubt.empty()) out_.notes.push_back(run->label + ": " + run->doubt);
      if (run->iterations > 0 && !run->resamples.usable())
        out_.notes.push_back(run->label + ": fewer than 3 iterations, so nothing can be called significant");
    }
    if (out_.whole_run) out_.notes.emplace_back(kWholeRuns);
    const double ops_a = static_cast<double>(a_.pattern.positions.size()),
                 ops_b = static_cast<double>(b_.pattern.positions.size());
    if (ops_a > 0 && ops_b > 0 && std::max(ops_a / ops_b, ops_b / ops_a) > kUnlikePatterns) {
      out_.notes.push_back(format_text("the iterations have %.0f and %.0f GPU ops: they may not be the same piece of work",
                                       ops_a, ops_b));
    }
    if (out_.per_item) out_.notes.push_back("the batches differ: the gate looks at the time per item");
  }

  const RunProfile &a_, &b_;
  Comparison& out_;
};

}  // namespace

MeasureChange compare_durations(std::span<const double> a, const Resamples& run_a, std::span<const double> b,
                                const Resamples& run_b) {
  MeasureChange result;
  result.known = true;
  result.typical = difference_of(a, run_a, b, run_b, Over::typical);
  result.mean = difference_of(a, run_a, b, run_b, Over::all);
  return result;
}

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

Comparison compare_runs(const RunProfile& a, const RunProfile& b) {
  Comparison comparison;
  Comparer(a, b, comparison).run();
  comparison.changes = describe_changes(a, b, comparison);
  return comparison;
}

}  // namespace deepprof
