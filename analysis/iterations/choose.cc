#include "analysis/iterations/choose.h"

#include <algorithm>

#include "libdeepprof/text.h"

namespace deepprof {
namespace {

constexpr double kLeastCoverage = 0.4;
constexpr double kShare = 0.7;        // of repetitions that must show a sign at one place
constexpr double kOneUpdate = 1.3;    // levels with one optimizer run are this much likelier
constexpr double kVeryUnlike = 0.15;
constexpr double kGood = 0.7;         // of the best quality
constexpr double kUnlikeCycle = 0.02; // neighbours of a cycle differ by more than this where updates are known

bool usable(const Weighed& w) { return w.starts.size() >= 2 && w.coverage >= kLeastCoverage && w.level.support >= 3; }

double quality(const Weighed& w) {
  return w.coverage * (1 - w.unlike) * std::min(1.0, w.level.support / 12.0);
}

// Without optimizer names: whether a cycle is the iteration. Two that take turns and only swap some kernels
// are iterations themselves (a solver that sweeps x first, then y first); where one does more than the
// others, or once in three times or more something else, they are parts (the last micro-step updates).
bool climbs(const Weighed& w) {
  const bool usual_cycle = (w.cycle >= 2 && w.cycle <= 8) || w.cycle == 16;
  return usual_cycle && (w.cycle > 2 || w.unlike > kVeryUnlike || w.uneven > w.unlike / 2);
}

// The level whose repetitions are cycles of `count` of those of `inner`.
int cycle_level(const std::vector<Weighed>& levels, const Weighed& inner) {
  int best = -1;
  for (size_t i = 0; i < levels.size(); ++i) {
    const Weighed& w = levels[i];
    if (!usable(w)) continue;
    const double ratio = static_cast<double>(inner.starts.size()) / static_cast<double>(w.starts.size());
    if (ratio < inner.cycle * .85 || ratio > inner.cycle * 1.15) continue;
    if (best < 0 || quality(w) > quality(levels[static_cast<size_t>(best)])) best = static_cast<int>(i);
  }
  return best;
}

}  // namespace

Choice choose(const std::vector<Weighed>& levels, size_t updates) {
  Choice choice;
  const auto at = [&](int index) -> const Weighed& { return levels[static_cast<size_t>(index)]; };
  if (updates >= 2) {
    double best = 0;
    for (size_t i = 0; i < levels.size(); ++i) {
      const Weighed& w = levels[i];
      if (!usable(w) || w.updates < .7 || w.best[0] < .6) continue;
      const double value = quality(w) * (w.updates < 1.3 ? kOneUpdate : 1);
      if (value > best + 1e-9) best = value, choice.index = static_cast<int>(i);
    }
    if (choice.index >= 0) {
      choice.is_iteration = true;
      choice.decided_by = at(choice.index).updates < 1.3 ? "one optimizer run in each"
                                                         : format_text("%.1f optimizer runs in each", at(choice.index).updates);
      if (at(choice.index).cycle > 0 && at(choice.index).unlike > kUnlikeCycle) {
        const int outer = cycle_level(levels, at(choice.index));
        if (outer >= 0) {
          choice.decided_by = format_text("a cycle of %u optimizer runs", at(choice.index).cycle);
          choice.index = outer;
        }
      }
      return choice;
    }
  }
  if (updates != 1) {
    for (const Sign sign : {Sign::feed, Sign::copy, Sign::read_back, Sign::pause}) {
      double best = 0;
      for (const Weighed& w : levels) {
        if (usable(w) && w.cut[sign] >= kShare) best = std::max(best, quality(w));
      }
      // The finest (levels ascend by length) of the good ones.
      for (size_t i = 0; i < levels.size() && choice.index < 0; ++i) {
        const Weighed& w = levels[i];
        if (usable(w) && w.cut[sign] >= kShare && quality(w) >= kGood * best) choice.index = static_cast<int>(i);
      }
      if (choice.index < 0) continue;
      choice.is_iteration = true;
      choice.decided_by = format_text("%s at one place of each", sign_words(sign));
      if (climbs(at(choice.index))) {
        const int outer = cycle_level(levels, at(choice.index));
        if (outer >= 0) {
          choice.decided_by += format_text("; a cycle of %u", at(choice.index).cycle);
          choice.index = outer;
        }
      }
      return choice;
    }
  }
  for (size_t i = 0; i < levels.size(); ++i) {
    if (!usable(levels[i])) continue;
    if (choice.index < 0 || quality(levels[i]) >= quality(at(choice.index))) choice.index = static_cast<int>(i);
  }
  choice.decided_by = "nothing but the repetition";
  if (choice.index < 0) choice.reason = "nothing repeats over the recording";
  return choice;
}

}  // namespace deepprof
