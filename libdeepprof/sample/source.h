// A family of samplers: one file each, one visible list (inject/sampling.cc).
#pragma once

#include <algorithm>
#include <cstdint>

#include "libdeepprof/sample/sink.h"

namespace deepprof {

class SampleSource {
 public:
  virtual ~SampleSource() = default;
  // On the sampler's thread: at the last tick, and at each from the monotonic time on that it
  // returned the time before, 0 for every tick. Between the ticks of a source the processor has
  // forgotten all about it: to find out that nothing is due costs as much as a reading. May block
  // as long as what it reads; may throw std::bad_alloc.
  virtual int64_t sample(SampleSink& sink) = 0;
};
inline constexpr int64_t kEveryTick = 0;

inline constexpr int64_t kSlowPeriod_ns = 1'000'000'000;  // of what changes slowly or costs much

// When a reading is due again: after its period, but one that takes long (PCIe throughput: 20 ms)
// so seldom that it takes a hundredth of the time. At the last tick what takes no time is due all
// the same: of a short run too little would be known else.
class Pace {
 public:
  // `spacing`: so many times as long as a reading took lies between two.
  explicit Pace(int64_t period_ns, int64_t spacing = 0)
      : period_ns_(period_ns), spacing_(spacing) {}

  bool due(int64_t now_ns, bool last_tick) const {
    return now_ns >= (last_tick ? next_at_the_end_ns_ : next_ns_);
  }
  int64_t next_ns() const { return next_ns_; }
  void ran(int64_t from_ns, int64_t to_ns) {
    constexpr int64_t kLong_ns = 5'000'000, kMostShare = 100, kFewestOfPeriod = 10;
    const int64_t took_ns = to_ns - from_ns;
    // Ticks come a little early or late: a period of ten ticks is not to become eleven.
    const int64_t spacing = took_ns < kLong_ns ? spacing_ : std::max(spacing_, kMostShare);
    next_ns_ = from_ns + std::max(period_ns_ - period_ns_ / 20, spacing * took_ns);
    next_at_the_end_ns_ = took_ns < kLong_ns ? from_ns + period_ns_ / kFewestOfPeriod : next_ns_;
  }

 private:
  int64_t period_ns_, spacing_;
  int64_t next_ns_ = INT64_MIN, next_at_the_end_ns_ = INT64_MIN;
};

}  // namespace deepprof
