// What a sweep says to somebody who has to choose a configuration.
#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/compare/difference.h"
#include "analysis/compare/sweep.h"
#include "analysis/compare/words.h"
#include "analysis/report/quantity.h"
#include "analysis/report/units.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

// gain of items/s from one step to the next below which more is wasted
constexpr double kSaturated = 0.10;
constexpr double kGrowing = 0.60;  // and above which a larger step is worth trying
constexpr double kTie = 0.01;      // of energy and cost: less apart than that is the same

constexpr const char* kNotApart = "; the two do not differ by more than chance";

class Advisor {
 public:
  explicit Advisor(const Sweep& sweep)
      : sweep_(sweep), unit_(sweep.per_item ? "item" : "iteration") {
    for (const SweepPoint& point : sweep.points) {
      if (!std::isnan(point.time_ns)) timed_.push_back(&point);
    }
  }

  std::vector<std::string> run() {
    if (timed_.size() < 2)
      return {"Fewer than two runs have iterations: there is nothing to choose from."};
    rank();
    if (sweep_.by == "batch") batches();
    if (is_count_of_devices()) scaling();
    return std::move(out_);
  }

 private:
  double time(const SweepPoint& point) const {
    return point.time_ns / (sweep_.per_item ? point.run->batch : 1);
  }
  double energy(const SweepPoint& point) const {
    if (sweep_.per_item) return point.energy_per_item_mj;
    return point.run->operator[](Measure::energy).known ? (*point.run)[Measure::energy].mean : NAN;
  }
  std::string title(const SweepPoint& point) const {
    if (sweep_.by == "batch") return "batch " + point.value;
    const std::string name =
        is_tag(sweep_.by) ? varied_name(sweep_.by) + " " + point.value : point.value;
    const auto same =
        std::count_if(sweep_.points.begin(), sweep_.points.end(),
                      [&](const SweepPoint& other) { return other.value == point.value; });
    // A GPU whose name the trace does not tell is one of many, too.
    const bool is_unnamed = sweep_.by == "gpu" && point.run->gpu.empty() && point.run->on_gpu;
    return same > 1 || is_unnamed ? name + " (" + point.run->label + ")" : name;
  }

  // Best first, of those that have the figure; empty where fewer than two do.
  template <typename Value>
  std::vector<const SweepPoint*> ranked(Value value) const {
    std::vector<const SweepPoint*> order;
    for (const SweepPoint* point : timed_) {
      if (!std::isnan(value(*point))) order.push_back(point);
    }
    std::stable_sort(order.begin(), order.end(), [&](const SweepPoint* a, const SweepPoint* b) {
      return value(*a) < value(*b);
    });
    return order.size() < 2 ? std::vector<const SweepPoint*>{} : order;
  }

  // More than chance apart, by the mean of all iterations; nothing where that cannot be tested.
  std::optional<bool> apart(Measure measure, const SweepPoint& a, const SweepPoint& b) const {
    const auto scaled = [&](const SweepPoint& point) {
      std::vector<double> values = (*point.run)[measure].values;
      if (sweep_.per_item) {
        for (double& value : values) value /= point.run->batch;
      }
      return values;
    };
    const auto resamples = [&](const SweepPoint& point) -> const Resamples& {
      return measure_info(measure).family == Family::sampled ? point.run->stretches
                                                             : point.run->resamples;
    };
    const std::vector<double> of_a = scaled(a), of_b = scaled(b);
    if (of_a.empty() || of_b.empty()) return {};
    const Difference difference = difference_of(of_a, resamples(a), of_b, resamples(b), Over::all);
    if (!difference.tested) return {};
    return difference.chance < kChance;
  }

  void rank() {
    const auto by_time = ranked([&](const SweepPoint& p) { return time(p); });
    const auto by_energy = ranked([&](const SweepPoint& p) { return energy(p); });
    const auto by_cost = ranked([](const SweepPoint& p) { return p.cost; });
    const SweepPoint& fastest = *by_time[0];
    std::string text = "By time: " + title(fastest) + " is fastest (" + rate(fastest) + ", " +
                       times(time(*by_time[1]) / time(fastest)) + " the next, " +
                       title(*by_time[1]) + ")";
    if (!apart(Measure::iteration, fastest, *by_time[1]).value_or(false)) text += kNotApart;
    out_.push_back(text + ".");
    if (!by_energy.empty()) {
      tell_trade(
          {"energy", Measure::energy}, *by_energy[0], *by_energy[1], fastest,
          [&](const SweepPoint& p) { return energy(p); },
          [&](const SweepPoint& p) {
            return scaled_text(energy(p), Unit::millijoules) + " per " + unit_;
          });
    }
    if (!by_cost.empty()) {
      tell_trade(
          {"cost", {}}, *by_cost[0], *by_cost[1], fastest,
          [](const SweepPoint& p) { return p.cost; },
          [&](const SweepPoint& p) {
            return scaled_text(p.cost, Unit::none) + " per million " + unit_ + "s";
          });
    }
  }
  struct Goal {
    const char* words;
    std::optional<Measure> measure;  // nothing: follows from others, and is not tested
  };
  template <typename Value, typename Words>
  void tell_trade(const Goal& goal, const SweepPoint& best, const SweepPoint& next,
                  const SweepPoint& fastest, Value value, Words words) {
    std::string text =
        std::string("By ") + goal.words + ": " + title(best) + " is best (" + words(best);
    const bool chance = goal.measure && !apart(*goal.measure, best, next).value_or(true);
    if (chance || value(next) < value(best) * (1 + kTie))
      text += ", no better than " + title(next) + (chance ? " but by chance" : "");
    text += ")";
    if (&best == &fastest) {
      text += ", and it is the fastest, too";
    } else if (!std::isnan(value(fastest))) {
      text += "; " + title(fastest) + " is " + percent_text(1 - time(fastest) / time(best)) +
              " faster and takes " + percent_text(value(fastest) / value(best) - 1) + " more";
    }
    out_.push_back(text + ".");
  }
  std::string rate(const SweepPoint& point) const {
    return scaled_text(1e9 / time(point), Unit::none) + " " + unit_ + "s/s";
  }
  static std::string times(double ratio) { return format_text("%.2f times", ratio); }

  // An iteration costs something however small its batch is; what an item adds is what a larger
  // batch pays.
  void batches() {
    std::vector<const SweepPoint*> order;
    for (const SweepPoint* point : timed_) {
      if (!std::isnan(point->number) && point->number > 0) order.push_back(point);
    }
    if (order.size() < 2) return;
    const SweepPoint &before = *order[order.size() - 2], &largest = *order.back();
    if (largest.number <= before.number) return;
    const double gain = largest.items_per_s / before.items_per_s - 1,
                 most = largest.number / before.number - 1;
    std::string text = "From " + title(before) + " to " + title(largest) + " items/s change by " +
                       signed_percent(gain) + " for " + percent_text(most) +
                       " more items per iteration";
    const Measured& memory = (*largest.run)[Measure::memory];
    if (memory.known && (*before.run)[Measure::memory].known) {
      text += " and " +
              scaled_text(memory.mean - (*before.run)[Measure::memory].mean, Unit::bytes) +
              " more memory";
      if (largest.run->memory_bytes > 0) {
        text += " (" + scaled_text(memory.mean, Unit::bytes) + " of " +
                scaled_text(largest.run->memory_bytes, Unit::bytes) + ")";
      }
    }
    if (gain < kSaturated * most) text += ": saturated, a larger batch brings little";
    else if (gain > kGrowing * most) text += ": far from saturated, try a larger batch";
    out_.push_back(text + ".");
    if (same_hardware(order)) fixed_part(order);
  }
  static bool same_hardware(const std::vector<const SweepPoint*>& order) {
    return std::all_of(order.begin(), order.end(), [&](const SweepPoint* point) {
      return point->run->gpu == order[0]->run->gpu;
    });
  }
  // A straight line of time over batch, by least squares of relative errors.
  void fixed_part(const std::vector<const SweepPoint*>& order) {
    double weights = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (const SweepPoint* point : order) {
      const double weight = 1 / (point->time_ns * point->time_ns);
      weights += weight;
      x += weight * point->number;
      y += weight * point->time_ns;
      xx += weight * point->number * point->number;
      xy += weight * point->number * point->time_ns;
    }
    const double per_item = (weights * xy - x * y) / (weights * xx - x * x),
                 fixed = (y - per_item * x) / weights;
    if (fixed <= 0 || per_item <= 0) return;
    out_.push_back(
        "An iteration takes about " + duration_text(fixed) + " whatever its batch, and " +
        duration_text(per_item) + " per item: " + percent_text(fixed / order.front()->time_ns) +
        " of it is fixed at " + title(*order.front()) + ", " +
        percent_text(fixed / order.back()->time_ns) + " at " + title(*order.back()) + ".");
  }

  // DEEPPROF_TAG_GPUS=1, 2, 4: what each device adds.
  bool is_count_of_devices() const {
    for (const char* tag : {"tag:gpus", "tag:ranks", "tag:nodes", "tag:world_size"}) {
      if (sweep_.by == tag) return true;
    }
    return false;
  }
  void scaling() {
    const SweepPoint &first = *timed_.front(), &last = *timed_.back();
    if (std::isnan(first.number) || std::isnan(last.number) || first.number <= 0 ||
        last.number <= first.number)
      return;
    const double pace = last.pace / first.pace, efficiency = pace / (last.number / first.number);
    out_.push_back("Scaling: " + title(last) + " does " + times(pace) + " the work of " +
                   title(first) + " in the same time, an efficiency of " +
                   percent_text(efficiency) + ".");
  }

  const Sweep& sweep_;
  std::string unit_;
  std::vector<const SweepPoint*> timed_;
  std::vector<std::string> out_;
};

}  // namespace

std::vector<std::string> sweep_findings(const Sweep& sweep) { return Advisor(sweep).run(); }

}  // namespace deepprof
