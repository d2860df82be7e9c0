// The power curve of the fake libnvidia-ml.so.1, so that tests can integrate it exactly.
#pragma once

#include <cstdint>

namespace deepprof::fake {

// A square wave over the wall clock: `high_mw` in the first half of each period, `low_mw` in the
// second.
struct PowerCurve {
  double low_mw = 100'000, high_mw = 100'000;
  int64_t period_ns = 1'000'000'000;

  double at(int64_t realtime_ns) const {
    return realtime_ns % period_ns < period_ns / 2 ? high_mw : low_mw;
  }
  // Energy from 1970 to then, less what whole periods before `since_ns` took.
  double energy_mj(int64_t since_ns, int64_t realtime_ns) const {
    const int64_t whole = realtime_ns / period_ns - since_ns / period_ns;
    const int64_t rest_ns = realtime_ns % period_ns, half_ns = period_ns / 2;
    const double rest = high_mw * static_cast<double>(rest_ns < half_ns ? rest_ns : half_ns) +
                        low_mw * static_cast<double>(rest_ns < half_ns ? 0 : rest_ns - half_ns);
    return (static_cast<double>(whole) * (high_mw + low_mw) * static_cast<double>(half_ns) + rest) /
           1e9;
  }
};

}  // namespace deepprof::fake
