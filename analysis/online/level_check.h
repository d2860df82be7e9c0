// Is what is followed still what the offline miner would call an iteration? Now and then as many
// ops as the answer rests on are held beside being followed, and mined: fewer would show fewer
// levels. Used by the online miner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/online/stretch.h"
#include "analysis/pattern/pattern.h"
#include "libdeepprof/event/event.h"

namespace deepprof {

class LevelCheck {
 public:
  explicit LevelCheck(size_t look_ops) : look_ops_(look_ops) {}

  // The next look begins when so many ops have been given. What was held is let go.
  void plan(uint64_t given_ops);
  void cancel() { plan(kNever); }
  // A first look saw another level, and a longer one is under way.
  bool is_doubted() const { return doubted_; }

  // Ops that may be given at once.
  uint64_t most_next(uint64_t given_ops) const;
  // `given_ops`: with these. True: all that are wanted are held.
  bool take(std::span<const Event> ops, uint64_t given_ops);
  std::span<const Event> ops() const { return ops_; }

  enum class Outcome { nothing, confirmed, other_level, longer };
  struct Followed {
    const Pattern& pattern;
    double worth;  // iterations that one repetition of it is
    double confidence;
  };
  // Of the answer on ops(), which is trimmed. `longer`: the look goes on until twice as many are
  // held.
  Outcome judge(MinedStretch& found, const Followed& followed);
  // Where the outcome is another level: its iterations for each one counted.
  double ratio() const { return ratio_; }

 private:
  static constexpr uint64_t kNever = UINT64_MAX;
  Outcome doubt(double ratio);

  size_t look_ops_;
  uint64_t at_ = kNever;   // ops given before it begins
  size_t wanted_ops_ = 0;  // 0: not under way
  std::vector<Event> ops_;
  bool doubted_ = false;
  double ratio_ = 0;  // 0: not known
};

}  // namespace deepprof
