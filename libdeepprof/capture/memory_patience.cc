#include "libdeepprof/capture/memory_patience.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <ctime>

#include "libdeepprof/capture/clock.h"

namespace deepprof {
namespace {

constexpr int64_t kPatience_ns = 1'000'000'000;
constexpr long kPause_ns = 1'000'000;

// Not thread-local: glibc allocates a thread's share of that at its first use, and ends the process when there is
// no memory for it.
struct Slot {
  std::atomic<bool> taken{false};
  std::atomic<pthread_t> thread{};
};
constexpr size_t kSlots = 16;
std::array<Slot, kSlots> slots;

bool on_thread_of_ours() {
  for (const Slot& slot : slots) {
    if (slot.taken.load() && ::pthread_equal(slot.thread.load(), ::pthread_self()) != 0) return true;
  }
  return false;
}

}  // namespace

bool MemoryPatience::wait() noexcept {
  const int64_t now_ns = monotonic_ns();
  if (give_up_ns_ == 0) give_up_ns_ = on_thread_of_ours() ? now_ns + kPatience_ns : now_ns;
  if (now_ns >= give_up_ns_) return false;
  const timespec pause{0, kPause_ns};
  ::nanosleep(&pause, nullptr);
  return true;
}

PatientThread::PatientThread() noexcept : slot_(kSlots) {
  for (size_t i = 0; i < kSlots; ++i) {
    if (slots[i].taken.exchange(true)) continue;
    slots[i].thread.store(::pthread_self());
    slot_ = i;
    return;
  }
}

PatientThread::~PatientThread() {
  if (slot_ == kSlots) return;
  slots[slot_].thread.store(pthread_t{});
  slots[slot_].taken.store(false);
}

}  // namespace deepprof
