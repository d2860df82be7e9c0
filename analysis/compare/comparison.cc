#include "analysis/compare/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/compare/words.h"
#include "analysis/findings/slow.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

constexpr double kLeastCalls = 0.25;  // more or fewer calls per iteration
// ratio of ops from which the iterations may not be the same thing
constexpr double kUnlikePatterns = 1.7;
constexpr double kFewCommonOps = 0.3;  // of the GPU time

constexpr const char* kWholeRuns = "whole run, one each: no significance can be said";

bool is_in(Measure measure, Family family) { return measure_info(measure).family == family; }

// What clock or counter cannot tell apart: NVML rounds to whole percents and degrees.
double step_of(Measure measure, const RunProfile& a, const RunProfile& b) {
  if (measure_info(measure).unit == Unit::nanoseconds) return std::max(a.clock_ns, b.clock_ns);
  if (measure == Measure::utilization) return 0.01;
  return measure == Measure::temperature ? 1 : 0;
}

// No figure of a run is negative, so none can fall by more than all of it.
void keep_in_range(Difference& difference) {
  difference.low = std::max(difference.low, -difference.a);
}

class Comparer {
 public:
  Comparer(const RunProfile& a, const RunProfile& b, Comparison& out) : a_(a), b_(b), out_(out) {}

  void run() {
    if (a_.whole_run != b_.whole_run) return notes();
    out_.whole_run = a_.whole_run;
    for (size_t i = 0; i < kMeasures; ++i) compare(static_cast<Measure>(i));
    judge();
    pace();
    item_energy();
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
      const double error = kStepDeviation * step_of(measure, a_, b_);
      const bool sampled = is_in(measure, Family::sampled);
      const Resamples &of_a = sampled ? a_.stretches : a_.resamples,
                      &of_b = sampled ? b_.stretches : b_.resamples;
      result.mean = difference_of(in_a.values, of_a, in_b.values, of_b, Over::all, error);
      result.typical =
          sampled ? result.mean
                  : difference_of(in_a.values, of_a, in_b.values, of_b, Over::typical, error);
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
    keep_in_range(difference);
  }

  void judge() {
    for (const Family family : {Family::iteration, Family::part, Family::figure, Family::sampled}) {
      std::vector<Judged> tested;
      for (size_t i = 0; i < kMeasures; ++i) {
        const auto measure = static_cast<Measure>(i);
        if (is_in(measure, family) && change(measure).typical.tested)
          tested.push_back({measure, &change(measure)});
      }
      judge_together(tested);
    }
  }
  struct Judged {
    Measure measure;
    MeasureChange* change;
  };
  void judge_together(const std::vector<Judged>& family) {
    std::vector<double> chances;
    for (const Judged& judged : family) {
      chances.push_back(judged.change->typical.chance);
      chances.push_back(judged.change->mean.chance);
    }
    const std::vector<bool> holds = deepprof::significant(chances);
    for (size_t i = 0; i < family.size(); ++i) {
      MeasureChange& result = *family[i].change;
      const auto differs = [&](bool held, const Difference& difference, double iteration_ns) {
        return held && difference.beyond_zero() &&
               is_large(family[i].measure, difference, iteration_ns);
      };
      result.typical_differs =
          differs(holds[2 * i], result.typical, a_[Measure::iteration].typical);
      result.mean_differs = differs(holds[2 * i + 1], result.mean, a_[Measure::iteration].mean);
      if (result.typical_differs || !result.typical.tested) continue;
      const bool large =
          is_large(family[i].measure, result.typical, a_[Measure::iteration].typical);
      if (large) {
        result.one_sided = !result.mean_differs && (result.mean.a == 0) != (result.mean.b == 0);
        result.unclear = !result.one_sided && result.typical.beyond_zero();
      }
      result.small = !large && holds[2 * i] && result.typical.beyond_zero();
    }
  }
  static bool is_large(Measure measure, const Difference& difference, double iteration_ns) {
    const bool of_iteration = is_in(measure, Family::part) || measure == Measure::idle;
    const Unit unit = measure_info(measure).unit;
    const double whole = unit == Unit::ratio ? 1
                         // of no zero that a share could be of: one degree
                         : unit == Unit::celsius ? 100
                         : of_iteration          ? iteration_ns
                                                 : std::fabs(difference.a);
    return difference.change() != 0 && std::fabs(difference.change()) >= kLeastChange * whole;
  }

  void pace() {
    out_.per_item = !out_.whole_run && a_.batch > 0 && b_.batch > 0 && a_.batch != b_.batch;
    out_.pace = change(Measure::iteration);
    if (!out_.per_item || !out_.pace.known) return;
    out_.pace = compare_durations(per_item(a_, Measure::iteration), a_.resamples,
                                  per_item(b_, Measure::iteration), b_.resamples);
    move_to(out_.pace.typical, a_[Measure::iteration].typical / a_.batch,
            b_[Measure::iteration].typical / b_.batch);
    move_to(out_.pace.mean, a_[Measure::iteration].mean / a_.batch,
            b_[Measure::iteration].mean / b_.batch);
    judge_together({{Measure::iteration, &out_.pace}});
  }
  static std::vector<double> per_item(const RunProfile& run, Measure measure) {
    std::vector<double> values = run[measure].values;
    for (double& value : values) value /= run.batch;
    return values;
  }

  // Of equal batches it differs where the energy of an iteration does.
  void item_energy() {
    MeasureChange& item = out_.item_energy = change(Measure::energy);
    item.known = item.known && !out_.whole_run && a_.batch > 0 && b_.batch > 0;
    if (!item.known) return;
    if (item.mean.tested)
      item.mean = difference_of(per_item(a_, Measure::energy), a_.stretches,
                                per_item(b_, Measure::energy), b_.stretches, Over::all);
    move_to(item.mean, a_[Measure::energy].mean / a_.batch, b_[Measure::energy].mean / b_.batch);
    item.typical = item.mean;
    if (!out_.per_item) return;
    item.small = item.unclear = item.one_sided = false;
    if (item.mean.tested) judge_together({{Measure::energy, &item}});
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
                                 tallies.second ? tallies.second->count : none_b, b_.resamples,
                                 Over::typical);
      chances.push_back(call.count.chance);
      out_.calls.push_back(std::move(call));
    }
    const std::vector<bool> holds = deepprof::significant(chances);
    for (size_t i = 0; i < holds.size(); ++i)
      out_.calls[i].significant =
          holds[i] && std::fabs(out_.calls[i].count.change()) >= kLeastCalls;
  }

  void notes() {
    for (const RunProfile* run : {&a_, &b_}) {
      if (!run->doubt.empty()) out_.notes.push_back(run->label + ": " + run->doubt);
      if (run->iterations > 0 && !run->resamples.usable())
        out_.notes.push_back(run->label +
                             ": fewer than 3 iterations, so nothing can be called significant");
    }
    if (out_.whole_run) out_.notes.emplace_back(kWholeRuns);
    const double ops_a = static_cast<double>(a_.pattern.positions.size()),
                 ops_b = static_cast<double>(b_.pattern.positions.size());
    if (ops_a > 0 && ops_b > 0 && std::max(ops_a / ops_b, ops_b / ops_a) > kUnlikePatterns) {
      out_.notes.push_back(format_text(
          "the iterations have %.0f and %.0f GPU ops: they may not be the same piece of work",
          ops_a, ops_b));
    }
    note_unlike_ops();
    if (out_.per_item)
      out_.notes.push_back("the batches differ: the gate looks at the time per item");
    note_unclear();
  }

  // Figures of two jobs can be compared, too, but a reader who compares two runs of one must know.
  void note_unlike_ops() {
    double all_a = 0, all_b = 0, common_a = 0, common_b = 0;
    for (const OpChange& op : out_.ops) {
      const bool in_both = op.ns_a > 0 && op.ns_b > 0 && op.verdict != OpVerdict::replaced;
      all_a += op.ns_a, all_b += op.ns_b;
      if (in_both) common_a += op.ns_a, common_b += op.ns_b;
    }
    if (all_a <= 0 || all_b <= 0) return;
    const double common = std::max(common_a / all_a, common_b / all_b);
    if (common < kFewCommonOps)
      out_.notes.push_back("at most " + percent_text(common) +
                           " of the GPU time is in ops of the same name: another job, other "
                           "software or another GPU");
  }

  // They are in no sentence of what differs, and one of them may be the largest change of all.
  void note_unclear() {
    const std::string unclear = listed(&MeasureChange::unclear),
                      one_sided = listed(&MeasureChange::one_sided);
    if (!unclear.empty())
      out_.notes.push_back("may be chance, more iterations would tell: " + unclear);
    if (!one_sided.empty())
      out_.notes.push_back("in one run only, too uneven there to say how much: " + one_sided);
  }
  std::string listed(bool MeasureChange::*which) const {
    std::string text;
    for (size_t i = 0; i < kMeasures; ++i) {
      if (!(out_.measures[i].*which) || out_.measures[i].mean_differs) continue;
      const MeasureInfo& info = measure_info(static_cast<Measure>(i));
      text += (text.empty() ? "" : ", ") + std::string(info.words) + " " +
              signed_text(out_.measures[i].typical.change(), info.unit);
    }
    return text;
  }

  const RunProfile &a_, &b_;
  Comparison& out_;
};

}  // namespace

MeasureChange compare_durations(std::span<const double> a, const Resamples& run_a,
                                std::span<const double> b, const Resamples& run_b) {
  MeasureChange result;
  result.known = true;
  result.typical = difference_of(a, run_a, b, run_b, Over::typical);
  result.mean = difference_of(a, run_a, b, run_b, Over::all);
  return result;
}

Comparison compare_runs(const RunProfile& a, const RunProfile& b) {
  Comparison comparison;
  Comparer(a, b, comparison).run();
  comparison.changes = describe_changes(a, b, comparison);
  return comparison;
}

}  // namespace deepprof
