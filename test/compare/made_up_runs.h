// Durations of made-up runs with the vices of real ones: jitter that lasts, drift, outliers,
// another number of iterations. Seeded. Test code only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "test/support/job.h"

namespace deepprof::test {

// How the runs of a pair behave; what one of them does with it is chance.
struct Vices {
  double jitter = 0.01;       // standard deviation of an iteration, of its time
  double persistence = 0;     // how much of its neighbour's jitter an iteration inherits (AR(1))
  double drift = 0;           // of the whole run, either way
  double outlier_share = 0;   // of the iterations
  double outlier_factor = 1;  // their time at most, of the usual
};

inline Vices draw_vices(Random& random) {
  Vices vices;
  vices.jitter = 0.003 + 0.047 * random.uniform();
  vices.persistence = 0.6 * random.uniform();
  vices.drift = 0.02 * random.uniform();
  vices.outlier_share = random.chance(0.5) ? 0 : 0.03 * random.uniform();
  vices.outlier_factor = 1.5 + 28 * random.uniform() * random.uniform();
  return vices;
}

inline double draw_normal(Random& random) {  // Box and Muller
  return std::sqrt(-2 * std::log(1 - random.uniform())) *
         std::cos(2 * 3.14159265358979 * random.uniform());
}

// `count` iterations of `base_ns` in the mean of those that are no outliers.
inline std::vector<double> draw_durations(Random& random, const Vices& vices, size_t count,
                                          double base_ns = 30e6) {
  std::vector<double> durations;
  const double drift = vices.drift * (2 * random.uniform() - 1);
  double inherited = draw_normal(random);
  for (size_t i = 0; i < count; ++i) {
    inherited = vices.persistence * inherited +
                std::sqrt(1 - vices.persistence * vices.persistence) * draw_normal(random);
    const double at = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) - 0.5 : 0;
    double time = base_ns * std::max(0.2, 1 + vices.jitter * inherited + drift * at);
    if (random.chance(vices.outlier_share))
      time *= 1.2 + (vices.outlier_factor - 1) * random.uniform();
    durations.push_back(time);
  }
  return durations;
}

}  // namespace deepprof::test
