#include "analysis/iterations/choose.h"

#include <algorithm>

#include "libdeepprof/text.h"

namespace deepprof {
namespace {

constexpr double kLeastCoverage = 0.4;
constexpr double kShare = 0.7;        // of repetitions that must show a sign at one place
constexpr double kUnlikeCycle = 0.02; // neighbours of a cycle differ by more than this where updates are known

bool usable(const Weighed& w) { return w.starts.size() >= 2 && w.coverage >= kLeastCoverage && w.level.support >= 3; }

double quality(const Weighed& w) {
  return w.coverage * (1 - w.unlike) * std::min(1.0, w.level.support / 12.0);
}

bool allowed_cycle(uint32_t cycle) { return (cycle >= 2 && cycle <= 8) || cycle == 16; }

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
    for (size_t i = 0; i < levels.size(); ++i) {
      const Weighed& w = levels[i];
      if (!usable(w) || w.updates < .7 || w.updates > 1.3 || w.best[0] < .6) continue;
      if (choice.index < 0 || quality(w) > quality(at(choice.index)) + 1e-9) choice.index = static_cast<int>(i);
    }
    if (choice.index >= 0) {
      choice.is_iteration = true;
      choice.decided_by = "one optimizer run in each";
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
    for (const Sign sign : {Sign::feed, Sign::read_back, Sign::pause}) {
      for (size_t i = 0; i < levels.size(); ++i) {
        const Weighed& w = levels[i];
        if (!usable(w) || w.cut[sign] < kShare) continue;
        // The finest (levels ascend by length) of those that cover the recording.
        if (choice.index < 0 || w.coverage > at(choice.index).coverage + .1) choice.index = static_cast<int>(i);
      }
      if (choice.index < 0) continue;
      choice.is_iteration = true;
      choice.decided_by = sign == Sign::feed ? "input copied at the start of each" : sign == Sign::read_back ? "a result read back in each" : "the host pauses before each";
      if (allowed_cycle(at(choice.index).cycle)) {
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
