// A few threads of ours, told apart from the job's by the thread that asks: no thread-local data,
// for glibc allocates a thread's share of that at its first use, and ends the process when there is
// no memory for it.
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstddef>

namespace deepprof {

class ThreadSet {
 public:
  static constexpr size_t kMost = 16;

  // The calling thread; its slot, kMost when all are taken (it is then not of the set).
  size_t add_self() noexcept {
    for (size_t slot = 0; slot < kMost; ++slot) {
      if (slots_[slot].taken.exchange(true)) continue;
      slots_[slot].thread.store(::pthread_self());
      return slot;
    }
    return kMost;
  }
  // What add_self() returned.
  void remove(size_t slot) noexcept {
    if (slot == kMost) return;
    slots_[slot].thread.store(pthread_t{});
    slots_[slot].taken.store(false);
  }
  bool contains_self() const noexcept {
    for (const Slot& slot : slots_) {
      if (slot.taken.load() && ::pthread_equal(slot.thread.load(), ::pthread_self()) != 0)
        return true;
    }
    return false;
  }

 private:
  struct Slot {
    std::atomic<bool> taken{false};
    std::atomic<pthread_t> thread{};
  };
  std::array<Slot, kMost> slots_;
};

}  // namespace deepprof
