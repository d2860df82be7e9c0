// The kernel's numbers of the threads that CUPTI names by the low half of pthread_self(): only the
// kernel's can be looked up in /proc. Learnt when a thread asks for a buffer, which runs on it:
// where each has buffers of its own (since 13.0) before its first record is decoded, else after a
// while. CUPTI could be told to use the kernel's numbers, but that would cost each recorded call a
// system call.
#pragma once

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

namespace deepprof::cupti {

class ThreadNumbers {
 public:
  static constexpr size_t kMost = 512;

  // On the job's thread, inside a launch: no lock, no allocation.
  void note_caller() noexcept {
    note(static_cast<uint32_t>(::pthread_self()), static_cast<uint32_t>(::syscall(SYS_gettid)));
  }
  // A number of pthreads is used again by later threads: the last one counts. What comes beyond
  // kMost is not noted.
  void note(uint32_t pthread, uint32_t kernel) noexcept {
    if (Entry* known = find(pthread)) return known->kernel.store(kernel, std::memory_order_relaxed);
    const uint32_t place = count_.fetch_add(1, std::memory_order_relaxed);
    if (place >= entries_.size()) return;
    entries_[place].kernel.store(kernel, std::memory_order_relaxed);
    entries_[place].pthread.store(pthread, std::memory_order_release);
  }

  // 0: not known, as of a number that is the kernel's already.
  uint32_t of(uint32_t pthread) {
    const Entry* entry = find(pthread);
    return entry == nullptr ? 0 : entry->kernel.load(std::memory_order_relaxed);
  }

 private:
  struct Entry {
    std::atomic<uint32_t> pthread{0}, kernel{0};
  };

  Entry* find(uint32_t pthread) {
    const uint32_t count =
        std::min<uint32_t>(count_.load(std::memory_order_relaxed), entries_.size());
    for (uint32_t i = 0; i < count; ++i) {
      if (entries_[i].pthread.load(std::memory_order_acquire) == pthread) return &entries_[i];
    }
    return nullptr;
  }

  std::array<Entry, kMost> entries_;
  std::atomic<uint32_t> count_{0};
};

}  // namespace deepprof::cupti
