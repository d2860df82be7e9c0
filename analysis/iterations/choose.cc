#include "analysis/iterations/choose.h"

#include <algorithm>

#include "libdeepprof/text.h"

namespace deepprof {
namespace {

constexpr double kLeastCoverage = 0.4;
constexpr double kShare = 0.7;  // of repetitions that must show a sign at one place
// repetitions: ops outside a level that holds the whole recording
constexpr double kLittle = 0.5;
constexpr size_t kFewCopies = 5;       // repetitions of a level that replaces a finer one
constexpr size_t kFewExact = 3;        // repetitions to the op
constexpr uint32_t kLeastExact = 12;   // ops of one that is an iteration by that alone
constexpr double kNothingElse = 0.95;  // of the recording, that is one thing to the op
constexpr double kMoreKinds = 1.15;    // times the kernels of the finer level
constexpr double kManyMoreKinds = 1.5;
constexpr double kLeavesOut = 0.9;  // coverage up to which a level leaves out much
constexpr double kLeavesOutLittle = 0.95;
constexpr double kVeryAlike = 0.05;
// of the host's free time, for pauses that are the only sign
constexpr double kLeastPauseShare = 0.25;
// Of the device's time: copies that are no input. Below what parameters take in any of 2,000
// generated models that are kept on the host (.757 at least, 1 % below .81).
constexpr double kParameters = 0.75;
constexpr double kContrast = 2;     // of shorter pauses to those that come next
constexpr double kTwoAlike = 0.3;   // two repetitions that differ by more are none
constexpr double kOneUpdate = 1.3;  // levels with one optimizer run are this much likelier
constexpr double kVeryUnlike = 0.15;
constexpr double kSameLength = 1.2;
constexpr double kGood = 0.7;  // of the best quality
// neighbours of a cycle differ by more than this where updates are known
constexpr double kUnlikeCycle = 0.02;

bool usable(const Weighed& w) {
  const bool repeats = w.starts.size() > 2 || (w.starts.size() == 2 && w.unlike < kTwoAlike);
  return repeats && w.coverage >= kLeastCoverage && w.level.support >= 3;
}

double evenness(const Weighed& w) { return w.coverage * (1 - w.unlike); }

// Likeness may be chance, the less the more repetitions there are.
double quality(const Weighed& w) {
  const double chance =
      w.starts.size() < 8 ? 1.0 / static_cast<double>(1u << (w.starts.size() - 1)) : 0;
  return evenness(w) * (1 - chance) * std::min(1.0, w.level.support / 12.0);
}

// Ops that the level leaves out, counted in repetitions.
double left_out(const Weighed& w) {
  return (1 - w.coverage) / w.coverage * static_cast<double>(w.starts.size());
}

// Without optimizer names: whether a cycle is the iteration. Two that take turns and only swap some
// kernels are iterations themselves (a solver that sweeps x first, then y first); where one does
// more than the others, or once in three times or more something else, they are parts (the last
// micro-step updates).
bool climbs(const Weighed& w) {
  const uint32_t lag = w.cycle.lag;
  const bool usual_cycle = (lag >= 2 && lag <= 8) || lag == 16;
  return usual_cycle && w.cycle.once &&
         (lag > 2 || w.unlike > kVeryUnlike || w.uneven > w.unlike / 2);
}

// The level whose repetitions are cycles of `count` of those of `inner`.
int cycle_level(const std::vector<Weighed>& levels, const Weighed& inner) {
  int best = -1;
  for (size_t i = 0; i < levels.size(); ++i) {
    const Weighed& w = levels[i];
    if (!usable(w)) continue;
    const double ratio =
        static_cast<double>(inner.starts.size()) / static_cast<double>(w.starts.size());
    if (ratio < inner.cycle.lag * .85 || ratio > inner.cycle.lag * 1.15) continue;
    if (best < 0 || quality(w) > quality(levels[static_cast<size_t>(best)]))
      best = static_cast<int>(i);
  }
  return best;
}

class Chooser {
 public:
  Chooser(const std::vector<Weighed>& levels, size_t updates)
      : levels_(levels), updates_(updates) {}

  Choice choose() {
    if (updates_ >= 2 && by_updates()) return choice_;
    // One optimizer run is at most one iteration.
    for (const Sign sign : {Sign::feed, Sign::copy, Sign::read_back, Sign::scalar, Sign::pause}) {
      if (updates_ != 1 && by_sign(sign)) return choice_;
    }
    if (updates_ != 1 && by_scalar()) return choice_;
    by_repetition();
    return choice_;
  }

 private:
  const Weighed& at(int index) const { return levels_[static_cast<size_t>(index)]; }
  const Weighed& chosen() const { return at(choice_.index); }

  bool by_updates() {
    double best = 0;
    for (size_t i = 0; i < levels_.size(); ++i) {
      const Weighed& w = levels_[i];
      if (!usable(w) || !updates_evenly(w)) continue;
      // Iterations of several updates (a GAN) hold as many each; others are groups by chance.
      if (w.updates >= kSeveralUpdates && w.even_updates < kShare) continue;
      const double value = quality(w) * (w.updates < kSeveralUpdates ? kOneUpdate : 1);
      if (value > best + 1e-9) best = value, choice_.index = static_cast<int>(i);
    }
    if (choice_.index < 0) return false;
    choice_.is_iteration = true;
    choice_.by_updates = true;  // how many, describe_decision() counts in the tiles
    if (!chosen().cycle.once || chosen().unlike <= kUnlikeCycle) return true;
    const int outer = cycle_level(levels_, chosen());
    if (outer < 0) return true;
    choice_.decided_by = format_text("a cycle of %u optimizer runs", chosen().cycle.lag);
    choice_.by_updates = false;
    choice_.index = outer;
    return true;
  }

  // Of two updates either may have ops that noise added before it, or a third beginning behind it.
  bool updates_evenly(const Weighed& w) const {
    return (w.updates >= .7 && w.best[0] >= .6) ||
           (updates_ == 2 && w.starts.size() <= 3 && w.holds_updates);
  }

  // The finest good level (levels ascend by length) whose repetitions show the sign at their cut;
  // `list` narrows that to one kind of copy.
  int finest(Sign sign, int list) const {
    const auto shows = [&](const Weighed& w) {
      if (!carries(sign, w)) return false;
      return usable(w) &&
             (list < 0 ? shown(sign, w) : w.by_list[static_cast<size_t>(list)]) >= kShare;
    };
    double best = 0;
    for (const Weighed& w : levels_) {
      if (shows(w)) best = std::max(best, quality(w));
    }
    for (size_t i = 0; i < levels_.size(); ++i) {
      const Weighed& w = levels_[i];
      if (!shows(w) || quality(w) < kGood * best) continue;
      if (sign != Sign::pause || !outweighed(w)) return static_cast<int>(i);
    }
    return -1;
  }

  // The host pauses for many reasons: a pause is nothing beside a much better repetition of another
  // length.
  bool outweighed(const Weighed& w) const {
    return std::any_of(levels_.begin(), levels_.end(), [&](const Weighed& other) {
      const double ratio = other.level.length / w.level.length;
      const bool same = ratio < kSameLength && ratio > 1 / kSameLength;
      return !same && usable(other) && evenness(w) < kGood * evenness(other);
    });
  }

  // At the cut, or anywhere where something else marks the cut.
  static double shown(Sign sign, const Weighed& w) {
    const bool marked = w.cut.marked_by != Cut::kNothing && w.cut.at_first_op;
    return marked ? w.best[static_cast<size_t>(sign)] : w.cut[sign];
  }

  // Inputs take less time than what is done with them; the parameters of a model that is kept on
  // the host take more, and are copied in for each layer. A result is read in each layer of some
  // models: where the recording is nothing but the repetitions, a beginning and an end, it is one
  // pass.
  //
  // A scalar, a pause or a copy of unknown direction may come in every layer. Alone they show an
  // iteration where the model does not begin before them all and end behind, and a scalar or a
  // short pause only where the recording begins at the cut (a window into something longer would
  // not), or begins and ends with a repetition.
  bool carries(Sign sign, const Weighed& w) const {
    const bool copy = sign == Sign::feed || sign == Sign::copy;
    if (copy && w.copied_in > kParameters) return false;
    if (sign == Sign::feed) return true;
    if (w.enclosed) return false;
    if (sign == Sign::read_back) return !is_in_one_pass(w);
    if (w.framed) return false;
    if (sign == Sign::scalar)
      return w.cut.exactly && w.starts.size() > 2 && w.unlike < kVeryUnlike &&
             w.coverage >= kLeavesOut;
    const bool nothing_else = w.whole && w.starts.size() > 2 && w.unlike < kVeryUnlike;
    return sign == Sign::copy || nothing_else || w.pause_share >= kLeastPauseShare ||
           (w.cut.exactly && w.pause_contrast >= kContrast);
  }

  // Itself, or as a part of what is.
  bool is_in_one_pass(const Weighed& w) const {
    return std::any_of(levels_.begin(), levels_.end(), [&](const Weighed& outer) {
      return (outer.enclosed || outer.breaks_off) && usable(outer) &&
             outer.level.length >= w.level.length;
    });
  }

  bool by_sign(Sign sign) {
    choice_.index = finest(sign, -1);
    if (choice_.index < 0) return false;
    choice_.is_iteration = true;
    choice_.decided_by = format_text("%s at one place of each", sign_words(sign));
    if (sign == Sign::copy) take_rarer_copy();
    if (sign == Sign::read_back) take_finer();
    take_what_is_left_out();
    if (sign == Sign::scalar || sign == Sign::pause || sign == Sign::copy) {
      take_the_whole();
      take_exact(sign);
    }
    if (!climbs(chosen())) return true;
    const int outer = cycle_level(levels_, chosen());
    if (outer < 0) return true;
    choice_.decided_by += format_text("; a cycle of %u", chosen().cycle.lag);
    choice_.pairs = chosen().cycle.lag == 2;
    choice_.index = outer;
    return true;
  }

  // A few bytes copied in are the input of a toy, or a number that every layer needs. Layers leave
  // out what a model does before and behind them, so it counts only where the repetitions are the
  // whole recording.
  bool by_scalar() {
    const int index = finest(Sign::scalar, -1);
    if (index < 0 || left_out(at(index)) > kLittle) return false;
    choice_.index = index;
    choice_.is_iteration = true;
    choice_.decided_by = format_text("%s at one place of each, and nothing else in the recording",
                                     sign_words(Sign::scalar));
    return true;
  }

  // Of copies whose direction is not known, one kind may come in every layer (a result that the
  // host waits for) and a rarer one feed the iteration; what feeds it brings kernels that the layer
  // has not.
  void take_rarer_copy() {
    const Weighed inner = chosen();
    for (size_t list = 0; list < inner.by_list.size(); ++list) {
      const int outer = finest(Sign::copy, static_cast<int>(list));
      if (outer < 0 || at(outer).starts.size() < kFewCopies ||
          quality(at(outer)) < kGood * quality(inner))
        continue;
      if (at(outer).level.length > chosen().level.length && has_more_kinds(at(outer), inner))
        choice_.index = outer;
    }
  }

  // A result may be read once in several iterations (a loss that is logged): where the host pauses,
  // or copies a scalar in, at one place of a finer level that has all the kernels, that is the
  // iteration.
  void take_finer() {
    for (const Sign sign : {Sign::scalar, Sign::pause}) {
      const int inner = finest(sign, -1);
      if (inner < 0 || inner >= choice_.index || at(inner).kinds < chosen().kinds) continue;
      choice_.index = inner;
      choice_.decided_by = format_text("%s at one place of each", sign_words(sign));
      return;
    }
  }

  // What marks layers as well is not enough where another level begins and ends with the recording
  // and this one does not begin there.
  void take_the_whole() {
    if (chosen().cut.at_first_op) return;
    for (size_t i = static_cast<size_t>(choice_.index); i < levels_.size(); ++i) {
      const Weighed& w = levels_[i];
      if (!usable(w) || w.starts.size() < kFewCopies || !w.whole || quality(w) < quality(chosen()))
        continue;
      choice_.index = static_cast<int>(i);
      choice_.decided_by = "the recording begins and ends with one";
      return;
    }
  }

  // What marks parts as well is nothing beside a recording that is one thing over and over, to the
  // op, where the parts are not alike.
  void take_exact(Sign sign) {
    const int outer = exact();
    if (outer < 0 || at(outer).level.length < kSameLength * chosen().level.length ||
        chosen().unlike < kVeryAlike || swaps(at(outer)))
      return;
    const bool marked = carries(sign, at(outer)) && shown(sign, at(outer)) >= kShare;
    choice_.index = outer;
    if (!marked) by_exact();
  }
  // Whether it is a pair of the chosen ones that only swaps some kernels.
  bool swaps(const Weighed& pair) const {
    const double length = 2 * chosen().level.length;
    return chosen().cycle.lag == 2 && !climbs(chosen()) &&
           pair.level.length < kSameLength * length && length < kSameLength * pair.level.length;
  }
  // The level that most of the recording is, to the op.
  int exact() const {
    for (size_t i = 0; i < levels_.size(); ++i) {
      const Weighed& w = levels_[i];
      if (w.level.run && w.starts.size() >= kFewExact) return static_cast<int>(i);
    }
    return -1;
  }
  // Whether the recording is nothing but whole repetitions, and not layers whose parameters are
  // copied in. Ends where a few ops repeat are chance.
  static bool begins_and_ends(const Weighed& w) {
    const Run& run = *w.level.run;
    return w.exact >= 1 && (run.last - run.first) % run.period == 0 && run.period >= kLeastExact &&
           w.copied_in <= kParameters;
  }
  void by_exact() {
    const Weighed& w = chosen();
    choice_.exact = w.exact >= kNothingElse;
    choice_.is_iteration = begins_and_ends(w) && w.level.run->count() >= kFewCopies;
    choice_.decided_by =
        choice_.is_iteration
            ? "the recording is one thing over and over, to the op"
            : std::string("nothing but the repetition") + (choice_.exact ? ", to the op" : "");
  }

  // A level that leaves out much of the recording may be a part of one that returns just as evenly
  // and holds the rest (the rollout of reinforcement learning).
  void take_what_is_left_out() {
    const Weighed inner = chosen();
    if (inner.coverage > kLeavesOutLittle) return;
    for (size_t i = 0; i < levels_.size(); ++i) {
      const Weighed& w = levels_[i];
      if (!usable(w) || w.starts.size() < kFewCopies || w.level.length < 2 * inner.level.length ||
          w.unlike > kVeryAlike)
        continue;
      if (!has_more_kinds(w, inner) || quality(w) <= quality(chosen())) continue;
      if (inner.coverage > kLeavesOut && w.kinds < kManyMoreKinds * inner.kinds) continue;
      choice_.index = static_cast<int>(i);
    }
    if (chosen().level.length > inner.level.length)
      choice_.decided_by = "the whole of what returns evenly";
  }
  static bool has_more_kinds(const Weighed& outer, const Weighed& inner) {
    return outer.kinds >= inner.kinds + 2 && outer.kinds > kMoreKinds * inner.kinds;
  }

  void by_repetition() {
    for (size_t i = 0; i < levels_.size(); ++i) {
      if (!usable(levels_[i])) continue;
      if (choice_.index < 0 || quality(levels_[i]) >= quality(chosen()))
        choice_.index = static_cast<int>(i);
    }
    choice_.decided_by = "nothing but the repetition";
    if (const int outer = exact(); outer >= 0 && is_outer(at(outer))) {
      choice_.index = outer;
      by_exact();
    }
  }

  bool is_outer(const Weighed& w) const {
    return choice_.index < 0 || w.level.length * kSameLength > chosen().level.length;
  }

  const std::vector<Weighed>& levels_;
  size_t updates_;
  Choice choice_;
};

}  // namespace

Choice choose(const std::vector<Weighed>& levels, size_t updates) {
  return Chooser(levels, updates).choose();
}

}  // namespace deepprof
