// Wakes one of our threads: a ring is remembered until somebody waits, so none is ever missed.
//
// ring() is one atomic exchange, and a system call only when the waiter really sleeps: CUPTI's
// threads may call it. The wait is measured on the monotonic clock, whatever happens to the wall
// clock.
#pragma once

#include <atomic>
#include <cstdint>

namespace deepprof {

class Doorbell {
 public:
  void ring() noexcept;
  // Returns at once if the bell was rung since the last wait, else when it rings or the time is
  // over.
  void wait_for(int64_t timeout_ns) noexcept;

 private:
  enum State : uint32_t { idle, rung, sleeping };
  std::atomic<uint32_t> state_{idle};
};

}  // namespace deepprof
