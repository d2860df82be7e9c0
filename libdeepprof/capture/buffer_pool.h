// The buffers that CUPTI fills. take() runs inside the job's launch call: it is wait-free in
// practice (one compare-and-swap on one word), never allocates, locks, logs or faults a page in.
//
//   take() ─► CUPTI fills it ─► put_full() ─► take_full() ─► decode ─► recycle() ─► free again
//   launching thread             CUPTI's thread    the collector, which also grows the pool in time
//
// A buffer is never unmapped, and never handed out again before CUPTI has returned it. One that
// CUPTI will never return can be written off.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace deepprof {

class BufferPool {
 public:
  static constexpr size_t kBufferBytes = size_t{1} << 20;
  static constexpr uint32_t kMaxBuffers = 64;

  // Maps `initial` buffers, a few of them resident: the process waits for it; grow() goes up to
  // `most`, at most kMaxBuffers.
  BufferPool(uint32_t initial, uint32_t most);
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  // Any thread. A buffer of kBufferBytes, or null when all are out.
  uint8_t* take() noexcept;

  // Any thread. Fewer buffers are free than a burst of new threads may want.
  bool runs_low() const noexcept {
    return std::popcount(free_.load(std::memory_order_relaxed)) < kKeepFree;
  }

  // Any thread. Queues a filled buffer for the collector. False: not one of ours (nothing happens).
  bool put_full(uint8_t* buffer, size_t valid_bytes) noexcept;

  struct Full {
    uint8_t* bytes = nullptr;  // null: none is waiting
    size_t valid_bytes = 0;
  };
  // Collector only. In the order in which they were returned.
  Full take_full() noexcept;
  // Collector only. Makes the buffer free. `zero`: CUPTI was told that it gets zeroed buffers.
  void recycle(const Full& full, bool zero) noexcept;
  // Collector only. Keeps a few buffers free while memory and `most` allow.
  void grow();
  // Collector only, first: makes resident what the constructor left for it.
  void touch_rest();

  // One thread at a time, any. Gives up the buffers that CUPTI holds, which it will return to
  // another tool, and maps others in their place; it may still write to them. Returns how many.
  // Once all places have been replaced no more are.
  uint32_t write_off_held();

  uint32_t mapped() const { return mapped_.load(std::memory_order_acquire); }
  // Buffers that CUPTI holds now. Any thread.
  uint32_t held_by_cupti() const {
    return static_cast<uint32_t>(std::popcount(held_.load(std::memory_order_relaxed)));
  }

 private:
  static constexpr int kKeepFree = 4;
  static constexpr uint32_t kNoBuffer = UINT32_MAX;
  static constexpr uint32_t kTouchedAtOnce = 2;  // take() gives these first
  bool map_one(bool touched);
  uint32_t index_of(const uint8_t* buffer) const;
  void adopt_returned();

  struct Slot {
    std::atomic<uint8_t*> bytes{nullptr};
    size_t valid_bytes = 0;
    uint32_t next = kNoBuffer;  // in the chain of returned buffers
  };
  std::array<Slot, kMaxBuffers> slots_;
  std::atomic<uint64_t> free_{0};  // bit i: slot i is free; a bitmap has no ABA problem
  std::atomic<uint32_t> mapped_{0};
  // bit i: CUPTI has slot i; who clears it has the right to the buffer
  std::atomic<uint64_t> held_{0};
  uint32_t replaced_ = 0;
  std::atomic<uint32_t> returned_{kNoBuffer};  // newest returned buffer, chained through Slot::next
  uint32_t oldest_ = kNoBuffer;                // collector's own chain, oldest first
  const uint32_t most_;
};

}  // namespace deepprof
