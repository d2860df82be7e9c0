#include "test/support/score.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace deepprof::test {
namespace {

constexpr double kTolerance = 0.05;

struct Reference {
  double after, before, share;  // place of a cut: ops after the step's first, before its end, share
};

class Scorer {
 public:
  Scorer(const Trace& trace, uint16_t device, const std::vector<int>& step) {
    std::vector<std::tuple<int64_t, uint32_t, uint32_t, uint32_t>> keys;
    for (uint32_t i = 0; i < trace.ops.size(); ++i) {
      const Op& op = trace.ops[i];
      if (op.device != device) continue;
      keys.emplace_back(op.launch != kNone ? trace.calls[op.launch].start_ns : op.start_ns,
                        op.correlation, op.graph_node, i);
    }
    std::sort(keys.begin(), keys.end());
    place_.assign(trace.ops.size(), 0);
    std::map<int, std::pair<int, int>> bounds;  // step -> first, end
    std::map<int, int> sizes;
    for (size_t place = 0; place < keys.size(); ++place) {
      const uint32_t index = std::get<3>(keys[place]);
      place_[index] = static_cast<int>(place);
      if (step[index] < 0) continue;
      auto [found, added] = bounds.try_emplace(step[index], static_cast<int>(place), 0);
      found->second.second = static_cast<int>(place) + 1;
      ++sizes[step[index]];
    }
    std::vector<std::pair<int, int>> ordered;
    for (const auto& [number, bound] : bounds) ordered.push_back(bound);
    std::sort(ordered.begin(), ordered.end());
    for (const auto& [first, end] : ordered) firsts_.push_back(first), ends_.push_back(end);
    std::vector<int> lengths;
    for (const auto& [number, size] : sizes) lengths.push_back(size);
    std::sort(lengths.begin(), lengths.end());
    const size_t half = lengths.size() / 2;
    if (!lengths.empty())
      typical_ = lengths.size() % 2 ? lengths[half] : (lengths[half - 1] + lengths[half]) / 2.0;
    slack_ = std::min(std::max(kTolerance * typical_, 3.0), typical_ / 4);
  }

  Score score(const std::vector<uint32_t>& cuts) const {
    Score result;
    result.phase = kNoPhase;
    result.steps = static_cast<int>(firsts_.size());
    std::vector<int> located;
    for (const uint32_t cut : cuts) located.push_back(place_[cut]);
    std::sort(located.begin(), located.end());
    result.found = static_cast<int>(located.size());
    if (result.steps <= 1) {
      result.f1 = located.empty() ? 1 : 0;
      return result;
    }
    std::map<int, Reference> references{{0, {0, static_cast<double>(ends_[0] - firsts_[0]), 0}}};
    for (const int index : located) {
      const int t = home(index);
      if (t < 0) continue;
      const double share = static_cast<double>(index - firsts_[t]) / (ends_[t] - firsts_[t]);
      references.try_emplace(static_cast<int>(std::nearbyint(share * 1000)),
                             Reference{static_cast<double>(index - firsts_[t]),
                                       static_cast<double>(ends_[t] - index), share});
    }
    int best_right = -1, inside = 0;
    double shift = 0;
    std::map<int, int> best_hits;
    for (const auto& [key, reference] : references) {
      int wrong = 0, right = 0, matched = 0;
      const std::map<int, int> hits = match(located, reference, wrong);
      for (const auto& [t, count] : hits) right += count == 1, matched += count;
      if (right > best_right)
        best_right = right, shift = reference.share, best_hits = hits, inside = wrong + matched;
    }
    const int last = result.steps - 1;
    const bool open_end = std::abs(shift) > 0.02 && best_right == last &&
                          (!best_hits.count(0) || !best_hits.count(last));
    const double recall = static_cast<double>(best_right) / (result.steps - open_end);
    const double precision = inside ? static_cast<double>(best_right) / inside : 0;
    result.found = inside;
    result.f1 =
        recall + precision > 0 ? std::min(1.0, 2 * recall * precision / (recall + precision)) : 0;
    if (best_right > 0) result.phase = shift;
    return result;
  }

 private:
  // The step whose ops, or short gap behind them, hold the place; -1: none.
  int home(int index) const {
    const int t =
        static_cast<int>(std::upper_bound(firsts_.begin(), firsts_.end(), index + slack_) -
                         firsts_.begin()) -
        1;
    if (t < 0) return -1;
    const double end = std::max<double>(
        ends_[t], ends_[t] + (t + 1 < static_cast<int>(firsts_.size()) ? typical_ / 2 : 0));
    return index < end ? t : -1;
  }
  std::map<int, int> match(const std::vector<int>& located, const Reference& r, int& wrong) const {
    std::map<int, int> hits;
    for (const int index : located) {
      const int near = static_cast<int>(std::upper_bound(firsts_.begin(), firsts_.end(), index) -
                                        firsts_.begin()) -
                       1;
      double distance = 1e18;
      int step = -1;
      for (int t = std::max(0, near - 1);
           t <= std::min(near + 1, static_cast<int>(firsts_.size()) - 1); ++t) {
        const double d =
            std::min({std::abs(index - firsts_[t] - r.after), std::abs(ends_[t] - r.before - index),
                      std::abs(index - firsts_[t] - r.share * (ends_[t] - firsts_[t]))});
        if (d < distance) distance = d, step = t;
      }
      if (distance <= slack_) ++hits[step];
      else if (home(index) >= 0) ++wrong;
    }
    return hits;
  }

  std::vector<int> place_, firsts_, ends_;
  double typical_ = 0, slack_ = 0;
};

}  // namespace

Score score_cuts(const Trace& trace, uint16_t device, const std::vector<int>& step,
                 const std::vector<uint32_t>& cuts) {
  return Scorer(trace, device, step).score(cuts);
}

Score score(const Trace& trace, const std::vector<int>& step, const DeviceMined& mined) {
  std::vector<uint32_t> cuts;
  if (mined.verdict == Verdict::iteration) {
    for (const Iteration& iteration : mined.iterations) {
      cuts.push_back(mined.order[iteration.first]);
    }
  }
  return score_cuts(trace, mined.device, step, cuts);
}

}  // namespace deepprof::test
