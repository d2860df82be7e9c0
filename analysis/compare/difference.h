// Whether a figure differs between two runs, or chance alone makes it look so.
//
// The spread of a figure comes from the run's resamples (resamples.h). Two figures are compared by
// Welch's t on these spreads, with as many degrees of freedom as the runs have blocks; the interval
// is the resamples' own, stretched for few blocks. What is one of a list is judged after Holm, so
// that a pair of runs that do not differ names anything of the list in one case of a hundred at
// most.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/compare/resamples.h"

namespace deepprof {

inline constexpr double kStepDeviation = 0.2887;  // of a rounding error, in steps of the clock
// of naming a difference where there is none; intervals: 99 %
inline constexpr double kChance = 0.01;

struct Spread {
  double mean = 0;
  double error = 0;    // standard error of the mean
  double degrees = 0;  // of freedom; 0: too few iterations to know
};

// Of a figure with a value for each of the run's iterations. `least_error`: what the clock or the
// counter cannot tell apart.
Spread spread_of(std::span<const double> values, const Resamples& run, Over over,
                 double least_error = 0, size_t count = Resamples::kCount);

// The probability that runs that do not differ look at least so different. 1 where it cannot be
// known.
double chance_of(const Spread& a, const Spread& b);

struct Difference {
  double a = 0, b = 0;
  double low = 0, high = 0;  // interval of b - a; meaningless unless tested
  double chance = 1;
  bool tested = false;  // false: too few iterations, or figures of the whole run

  double change() const { return b - a; }
  bool beyond_zero() const { return low > 0 || high < 0; }  // of its interval
};

Difference difference_of(std::span<const double> a, const Resamples& run_a,
                         std::span<const double> b, const Resamples& run_b, Over over,
                         double least_error = 0);

// Which of a list of chances hold together at `level` (Holm's step-down procedure).
std::vector<bool> significant(std::span<const double> chances, double level = kChance);

}  // namespace deepprof
