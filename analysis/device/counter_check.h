// Does a GPU's energy counter agree with its sampled power? A counter that begins anew faster than
// it is sampled, or counts in another unit than it should, shows a fraction of the energy, and
// nothing in itself tells.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "analysis/device/curve.h"
#include "analysis/device/sample_index.h"

namespace deepprof {

struct CounterCheck {
  // Growth where the counter was not reset / integral of power there; empty: too little of both to
  // compare.
  std::optional<double> by_power;
  double reset_ratio = 0;  // of the intervals between samples

  // Not to be used where power is known: half of the energy is missing, or a fifth of the intervals
  // hold a reset.
  bool refused() const { return by_power && (*by_power < 0.5 || reset_ratio > 0.2); }
  // Used, but somebody is wrong: power samples of a GPU may be off by some percent, not by a
  // quarter.
  bool doubted() const { return !refused() && by_power && (*by_power < 0.75 || *by_power > 1.33); }
};

// Over less nothing is compared: the counter's steps are as coarse as 0.1 s.
inline constexpr int64_t kEnoughToCheck_ns = 2'000'000'000;

CounterCheck check_counter(std::span<const SamplePoint> counter, const Curve& power);

}  // namespace deepprof
