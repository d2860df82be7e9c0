// The clocks of the machine, and how they stand to that of the GPU records.
#pragma once

#include <atomic>
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

// The three clocks read within a few hundred nanoseconds of each other. CUPTI's default clock is
// the wall clock, so a step of the wall clock during the run shows as a change of realtime -
// monotonic.
struct ClockTriple {
  int64_t realtime_ns = 0;
  int64_t monotonic_ns = 0;
  int64_t records_ns = 0;  // the clock of the GPU records; 0: could not be read

  int64_t offset_ns() const { return realtime_ns - monotonic_ns; }
};

// The clock of the GPU records for threads that may not ask CUPTI: monotonic time and an offset,
// which the control thread renews. Until CUPTI was asked, and where there is none, it is the wall
// clock.
class RecordsClock {
 public:
  RecordsClock() : offset_ns_(realtime_ns() - monotonic_ns()) {}
  void set(const ClockTriple& triple) {
    const int64_t records_ns = triple.records_ns != 0 ? triple.records_ns : triple.realtime_ns;
    offset_ns_.store(records_ns - triple.monotonic_ns, std::memory_order_relaxed);
  }
  int64_t of(int64_t monotonic_ns) const {
    return monotonic_ns + offset_ns_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<int64_t> offset_ns_;
};

}  // namespace deepprof
