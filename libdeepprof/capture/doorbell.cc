#include "libdeepprof/capture/doorbell.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <ctime>

namespace deepprof {
namespace {

// A plain futex: a condition variable would need a lock, and its timed wait on the monotonic clock
// a newer glibc than the library may ask for.
void futex(std::atomic<uint32_t>& word, int operation, uint32_t value, const timespec* timeout) {
  static_assert(sizeof(word) == sizeof(uint32_t));
  ::syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), operation | FUTEX_PRIVATE_FLAG, value,
            timeout, nullptr, 0);
}

}  // namespace

void Doorbell::ring() noexcept {
  if (state_.exchange(rung, std::memory_order_acq_rel) == sleeping)
    futex(state_, FUTEX_WAKE, 1, nullptr);
}

void Doorbell::wait_for(int64_t timeout_ns) noexcept {
  uint32_t expected = idle;
  if (timeout_ns > 0 &&
      state_.compare_exchange_strong(expected, sleeping, std::memory_order_acq_rel)) {
    const timespec timeout{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
    futex(state_, FUTEX_WAIT, sleeping, &timeout);
  }
  state_.exchange(idle, std::memory_order_acq_rel);
}

}  // namespace deepprof
