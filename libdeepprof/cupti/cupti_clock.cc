#include "libdeepprof/cupti/cupti_clock.h"

#include <cstdlib>

#include "libdeepprof/capture/clock.h"

namespace deepprof::cupti {
namespace {

// Two readings of one clock differ by microseconds, a cycle counter and the wall clock by decades.
constexpr int64_t kSameClock_ns = 1'000'000'000;

// Called by CUPTI, inside the job's launches too.
uint64_t wall_clock() { return static_cast<uint64_t>(realtime_ns()); }

}  // namespace

CuptiClock::CuptiClock(const Library& library, const Activation& activation)
    : library_(library), activation_(activation) {
  const int64_t records_ns = read();
  known_ = records_ns != 0;
  if (known_) offset_ns_ = records_ns - realtime_ns();
}

int64_t CuptiClock::now_ns() const {
  if (!known_) return 0;
  const int64_t records_ns = read();
  return is_as_at_start(records_ns) ? records_ns : realtime_ns() + offset_ns_;
}

bool CuptiClock::restore() const {
  const int64_t records_ns = read();
  if (records_ns == 0 || is_as_at_start(records_ns)) return true;
  const bool was_wall_clock = std::llabs(offset_ns_) < kSameClock_ns;
  const auto set_clock = library_.api.register_timestamp_callback;
  return was_wall_clock && set_clock != nullptr && set_clock(&wall_clock) == kSuccess &&
         is_as_at_start(read());
}

int64_t CuptiClock::read() const {
  const Api& api = library_.api;
  uint64_t now = 0;
  ResultCode code = kUnknownError;
  // beside v2 subscribers the older call is refused
  if (activation_.v2 && api.get_timestamp_v2 != nullptr) {
    code = api.get_timestamp_v2(activation_.subscriber, &now);
  } else if (api.get_timestamp != nullptr) {
    code = api.get_timestamp(&now);
  }
  return code == kSuccess ? static_cast<int64_t>(now) : 0;
}

bool CuptiClock::is_as_at_start(int64_t records_ns) const {
  return records_ns != 0 && std::llabs(records_ns - offset_ns_ - realtime_ns()) < kSameClock_ns;
}

}  // namespace deepprof::cupti
