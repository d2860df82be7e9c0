// What a comparison found, in sentences for people.
#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/categories/distinct_names.h"
#include "analysis/categories/readable_name.h"
#include "analysis/compare/comparison.h"
#include "analysis/compare/words.h"
#include "analysis/findings/slow.h"
#include "analysis/report/quantity.h"
#include "analysis/report/units.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

constexpr size_t kNamed = 3;  // examples in a sentence
constexpr size_t kNameColumns = 48;

std::string signed_time(double ns) {
  const auto whole = static_cast<int64_t>(std::llround(std::fabs(ns)));
  return (ns < 0 ? "-" : "+") + time_text(whole);
}

// The part of the iteration in which an op's time lies.
Measure part_of(const OpChange& op) {
  if (op.category == "memcpy") return Measure::memcpy;
  if (op.category == "memset") return Measure::memset;
  return op.category == "communication" ? Measure::communication : Measure::compute;
}

// Names that differ deep in their template arguments are one name when shortened.
std::string replaced_text(const OpChange& op) {
  const std::array<std::string_view, 2> names{op.name_a, op.name_b};
  std::vector<std::string> shown = distinct_short_names(names, kNameColumns);
  return shown[0] + " replaced by " + shown[1];
}

std::string described(const OpChange& op) {
  const std::string name = short_name(op.name_b.empty() ? op.name_a : op.name_b, kNameColumns);
  const std::string where = op.places == 1 ? "" : format_text(" at %u places", op.places);
  switch (op.verdict) {
    case OpVerdict::added:
      return name + " added" + where + " (" + signed_time(op.change_ns()) + ")";
    case OpVerdict::removed:
      return name + " removed" + where + " (" + signed_time(op.change_ns()) + ")";
    case OpVerdict::replaced:
      return replaced_text(op) + where + " (" + signed_time(op.change_ns()) + ")";
    case OpVerdict::slower:
    case OpVerdict::faster:
      return name + " " + percent_text(std::fabs(op.change_ns() / op.ns_a)) + " " +
             verdict_name(op.verdict) + where + " (" + signed_time(op.change_ns()) + ")";
    case OpVerdict::same: break;
  }
  return name;
}

// The first few of `ops`, and how many more there are.
std::string listed(const std::vector<const OpChange*>& ops) {
  std::string text;
  for (size_t i = 0; i < ops.size() && i < kNamed; ++i)
    text += (i == 0 ? "" : ", ") + described(*ops[i]);
  if (ops.size() > kNamed) text += format_text(" and %zu more", ops.size() - kNamed);
  return text;
}

class Describer {
 public:
  Describer(const RunProfile& a, const RunProfile& b, const Comparison& of)
      : a_(a), b_(b), of_(of) {}

  std::vector<Change> run() {
    for (size_t part = 0; part < kParts; ++part) describe_part(part_measure(part));
    describe_other_ops();
    describe_use();
    for (const CallChange& call : of_.calls) {
      if (call.significant) describe_call(call);
    }
    std::stable_sort(changes_.begin(), changes_.end(), [](const Change& x, const Change& y) {
      return std::fabs(x.ns) > std::fabs(y.ns);
    });
    return std::move(changes_);
  }

 private:
  // Where outliers make the difference it does not show in the typical iteration.
  const Difference& telling(const MeasureChange& change, bool& typical) const {
    typical = std::fabs(change.typical.change()) >= kLeastChange * a_[Measure::iteration].typical &&
              (change.typical.low > 0 || change.typical.high < 0);
    return typical ? change.typical : change.mean;
  }

  void describe_part(Measure measure) {
    const MeasureChange& change = of_[measure];
    if (!change.significant()) return;
    bool typical = true;
    const Difference& difference = telling(change, typical);
    const double iteration = typical ? a_[Measure::iteration].typical : a_[Measure::iteration].mean;
    Change out;
    out.key = measure_info(measure).key;
    out.ns = difference.change();
    out.sentence = std::string(measure_info(measure).words) + " " + signed_time(out.ns) + " (" +
                   signed_percent(out.ns / iteration) + " of the iteration" +
                   (typical ? "" : ", in some iterations only") + ")";
    out.sentence +=
        measure <= Measure::memset ? ops_behind(measure) : cause_behind(measure, out.ns);
    changes_.push_back(std::move(out));
  }

  std::string ops_behind(Measure measure) {
    std::vector<const OpChange*> behind;
    for (const OpChange& op : of_.ops) {
      if (op.verdict != OpVerdict::same && part_of(op) == measure) behind.push_back(&op);
    }
    told_.insert(told_.end(), behind.begin(), behind.end());
    return behind.empty() ? "" : ": " + listed(behind);
  }

  // The op before which the idle time of a cause grew (or shrank) most.
  std::string cause_behind(Measure measure, double change_ns) const {
    const size_t cause = index_of(measure) - index_of(Measure::host_outside);
    const auto ns_in = [&](const RunProfile& run, const std::string& key) {
      for (const IdleBefore& before : run.idle_before[cause]) {
        if (before.key == key) return before.ns;
      }
      return 0.0;
    };
    std::string name;
    double most = 0;
    for (const RunProfile* run : {&a_, &b_}) {
      for (const IdleBefore& before : run->idle_before[cause]) {
        const double grown = ns_in(b_, before.key) - ns_in(a_, before.key);
        if (grown * change_ns > 0 && std::fabs(grown) > std::fabs(most))
          most = grown, name = before.name;
      }
    }
    return std::fabs(most) < 0.5 * std::fabs(change_ns)
               ? ""
               : ", most of it before " + short_name(name, kNameColumns);
  }

  void describe_other_ops() {
    std::vector<const OpChange*> others;
    double ns = 0;
    for (const OpChange& op : of_.ops) {
      if (op.verdict == OpVerdict::same ||
          std::find(told_.begin(), told_.end(), &op) != told_.end())
        continue;
      others.push_back(&op);
      ns += op.change_ns();
    }
    if (!others.empty()) changes_.push_back({"ops", "GPU ops: " + listed(others), ns});
  }

  void describe_use() {
    std::string text;
    for (size_t i = 0; i < kMeasures; ++i) {
      const MeasureInfo& info = measure_info(static_cast<Measure>(i));
      const MeasureChange& change = of_.measures[i];
      if (info.family != Family::sampled || !change.significant()) continue;
      const Difference& difference = change.mean;
      text += (text.empty() ? "GPU and host: " : ", ") + std::string(info.words) + " " +
              signed_text(difference.change(), info.unit);
      if (info.unit != Unit::ratio && info.unit != Unit::celsius && difference.a > 0)
        text += " (" + signed_percent(difference.change() / difference.a) + ")";
    }
    const MeasureChange& item = of_.item_energy;
    if (of_.per_item && item.known && item.significant())
      text += (text.empty() ? "GPU and host: " : ", ") + std::string("energy per item ") +
              signed_text(item.mean.change(), Unit::millijoules) + " (" +
              signed_percent(item.mean.change() / item.mean.a) + ")";
    if (!text.empty()) changes_.push_back({"use", std::move(text), 0});
  }

  void describe_call(const CallChange& call) {
    const double more = call.count.change();
    changes_.push_back(
        {"calls",
         format_text("%s: %s %s per iteration (%s, was %s)", call.name.c_str(),
                     scaled_text(std::fabs(more), Unit::none).c_str(), more > 0 ? "more" : "fewer",
                     scaled_text(call.count.b, Unit::none).c_str(),
                     scaled_text(call.count.a, Unit::none).c_str()),
         0});
  }

  const RunProfile &a_, &b_;
  const Comparison& of_;
  std::vector<const OpChange*> told_;
  std::vector<Change> changes_;
};

}  // namespace

std::vector<Change> describe_changes(const RunProfile& a, const RunProfile& b,
                                     const Comparison& comparison) {
  return Describer(a, b, comparison).run();
}

}  // namespace deepprof
