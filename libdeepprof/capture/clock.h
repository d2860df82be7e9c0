// The clocks of the machine, and how they stand to that of the GPU records.
#pragma once

#include <cstdint>
#include <ctime>

namespace deepprof {

inline int64_t read_clock_ns(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}
inline int64_t monotonic_ns() { return read_clock_ns(CLOCK_MONOTONIC); }
inline int64_t realtime_ns() { return read_clock_ns(CLOCK_REALTIME); }

// The three clocks read within a few hundred nanoseconds of each other. CUPTI's default clock is the wall
// clock, so a step of the wall clock during the run shows as a change of realtime - monotonic.
struct ClockTriple {
  int64_t realtime_ns = 0;
  int64_t monotonic_ns = 0;
  int64_t records_ns = 0;  // the clock of the GPU records; 0: could not be read

  int64_t offset_ns() const { return realtime_ns - monotonic_ns; }
};

}  // namespace deepprof
