#pragma once

#include <time.h>

#include <cstdint>

namespace deepprof::fake {

inline int64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}
inline int64_t monotonic_ns() { return clock_ns(CLOCK_MONOTONIC); }
inline int64_t realtime_ns() { return clock_ns(CLOCK_REALTIME); }

inline void sleep_until_monotonic(int64_t when_ns) {
  const timespec until{when_ns / 1'000'000'000, when_ns % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {}
}

}  // namespace deepprof::fake
