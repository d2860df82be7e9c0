// A lock-free ring of 32-byte slots between one producing and one consuming thread.
//
// The collector pushes, the drain thread takes. A push never blocks, allocates or makes a system
// call: a full ring drops the event it was given (the newest) and counts it. A record takes one
// slot, or two when it carries a Detail; both slots become visible together.
//
//            tail_ (consumer)                    head_ (producer)
//               ▼                                   ▼
//   ... free ... | Event | Event | Detail | Event | ... free ...
//
// The memory belongs to the ring and comes straight from the kernel. Its pages are touched by the
// producer's first round: that is the collector, a thread which nobody waits for.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "libdeepprof/event/event_place.h"

namespace deepprof {

class EventRing {
 public:
  static constexpr size_t kSlotBytes = 32;

  // `slots` is rounded up to a power of two. When the memory cannot be had, valid() is false and
  // every push is dropped and counted.
  explicit EventRing(size_t slots);
  ~EventRing();
  EventRing(const EventRing&) = delete;
  EventRing& operator=(const EventRing&) = delete;

  bool valid() const { return slots_ != nullptr; }
  size_t capacity() const { return mask_ + 1; }

  // Producer only. `detail` is null unless event.has_detail(). False: the ring was full, the event
  // is dropped and counted.
  bool push(const Event& event, const Detail* detail) {
    const uint64_t head = head_.load(std::memory_order_relaxed);
    const uint64_t needed = detail == nullptr ? 1 : 2;
    if (head + needed - cached_tail_ > usable_) {
      // Only when the ring looks full does the producer touch the consumer's cache line.
      cached_tail_ = tail_.load(std::memory_order_acquire);
      if (head + needed - cached_tail_ > usable_) {
        dropped_.store(dropped_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        return false;
      }
    }
    std::memcpy(slot(head), &event, kSlotBytes);
    if (detail != nullptr) std::memcpy(slot(head + 1), detail, kSlotBytes);
    head_.store(head + needed, std::memory_order_release);
    return true;
  }

  // Producer only. Where the next record may be built, so that it need not be copied: in the ring,
  // or beside it while that has no room. It is the consumer's after push_built(), and never if
  // place() is called again instead.
  EventPlace place() {
    const uint64_t head = head_.load(std::memory_order_relaxed);
    constexpr uint64_t kMost = 2;
    if (head + kMost - cached_tail_ > usable_) cached_tail_ = tail_.load(std::memory_order_acquire);
    built_inside_ = head + kMost - cached_tail_ <= usable_;
    if (!built_inside_) return {beside_ = Event(), beside_detail_ = Detail()};
    return {*new (slot(head)) Event(), *new (slot(head + 1)) Detail()};
  }
  // As push(), of what was built in place().
  bool push_built(bool with_detail) {
    if (!built_inside_) return push(beside_, with_detail ? &beside_detail_ : nullptr);
    const uint64_t head = head_.load(std::memory_order_relaxed);
    head_.store(head + (with_detail ? 2 : 1), std::memory_order_release);
    return true;
  }

  // How far the producer has come. What it did before those pushes (publishing the names that the
  // events use) is visible to the thread that asked.
  uint64_t published() const { return head_.load(std::memory_order_acquire); }

  // Consumer only. Calls take(const Event&, const Detail*) for every record before the position
  // `until`, a value of published(), oldest first; returns how many there were. The references are
  // valid during the call only. The slots are given back in one step at the end.
  template <typename Take>
  size_t drain(uint64_t until, Take&& take) {
    uint64_t tail = tail_.load(std::memory_order_relaxed);
    size_t taken = 0;
    constexpr uint64_t kAhead = 16;  // slots: what the other core wrote takes as long to come
    for (; tail != until; ++taken) {
      __builtin_prefetch(slot(tail + kAhead));
      Event event;
      std::memcpy(&event, slot(tail++), kSlotBytes);
      if (event.has_detail()) {
        Detail detail;
        std::memcpy(&detail, slot(tail++), kSlotBytes);
        take(event, &detail);
      } else {
        take(event, nullptr);
      }
    }
    tail_.store(tail, std::memory_order_release);
    return taken;
  }

  // Any thread; a moment later it may be different.
  bool empty() const { return tail_.load(std::memory_order_acquire) == published(); }
  // Records dropped since construction. Any thread.
  uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  std::byte* slot(uint64_t position) const { return slots_ + (position & mask_) * kSlotBytes; }

  std::byte* slots_ = nullptr;
  size_t mask_ = 0;
  size_t usable_ = 0;  // capacity, or 0 without memory

  // Each side's own line: what it writes, and its copy of the other side's index.
  alignas(64) std::atomic<uint64_t> head_{0};
  uint64_t cached_tail_ = 0;
  std::atomic<uint64_t> dropped_{0};
  bool built_inside_ = false;
  Event beside_;
  Detail beside_detail_;
  alignas(64) std::atomic<uint64_t> tail_{0};
};

}  // namespace deepprof
