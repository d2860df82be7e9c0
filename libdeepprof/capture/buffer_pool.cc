#include "libdeepprof/capture/buffer_pool.h"

#include <algorithm>
#include <cstring>

#include "libdeepprof/pages.h"

namespace deepprof {
BufferPool::BufferPool(uint32_t initial, uint32_t most) : most_(std::min(most, kMaxBuffers)) {
  while (mapped() < std::min(initial, most_) && map_one(mapped() < kTouchedAtOnce)) {}
}

void BufferPool::touch_rest() {
  for (uint32_t i = kTouchedAtOnce; i < mapped(); ++i) {
    touch_pages(reinterpret_cast<std::byte*>(slots_[i].bytes.load(std::memory_order_relaxed)),
                kBufferBytes);
  }
}

bool BufferPool::map_one(bool touched) {
  std::byte* pages = touched ? map_touched_pages(kBufferBytes) : map_pages(kBufferBytes);
  if (pages == nullptr) return false;
  const uint32_t index = mapped_.load(std::memory_order_relaxed);
  slots_[index].bytes.store(reinterpret_cast<uint8_t*>(pages), std::memory_order_relaxed);
  mapped_.store(index + 1, std::memory_order_release);
  free_.fetch_or(uint64_t{1} << index, std::memory_order_release);
  return true;
}

void BufferPool::grow() {
  while (runs_low() && mapped() < most_ && map_one(true)) {}
}

uint8_t* BufferPool::take() noexcept {
  uint64_t free = free_.load(std::memory_order_relaxed);
  while (free != 0) {
    const uint64_t rest = free & (free - 1);
    if (free_.compare_exchange_weak(free, rest, std::memory_order_acquire,
                                    std::memory_order_relaxed)) {
      // Read before the slot counts as held: from then on it may be written off and get other
      // pages.
      uint8_t* bytes =
          slots_[static_cast<size_t>(std::countr_zero(free))].bytes.load(std::memory_order_relaxed);
      held_.fetch_or(free ^ rest, std::memory_order_release);
      return bytes;
    }
  }
  return nullptr;
}

uint32_t BufferPool::index_of(const uint8_t* buffer) const {
  const uint32_t count = mapped();
  for (uint32_t i = 0; i < count; ++i) {
    if (slots_[i].bytes.load(std::memory_order_relaxed) == buffer) return i;
  }
  return kNoBuffer;
}

bool BufferPool::put_full(uint8_t* buffer, size_t valid_bytes) noexcept {
  const uint32_t index = index_of(buffer);
  if (index == kNoBuffer) return false;
  const uint64_t bit = uint64_t{1} << index;
  // written off, or never given
  if ((held_.fetch_and(~bit, std::memory_order_acquire) & bit) == 0) return false;
  Slot& slot = slots_[index];
  if (slot.bytes.load(std::memory_order_relaxed) != buffer) {
    // Written off since it was found, and its place is out with other pages: those are not back
    // yet.
    held_.fetch_or(bit, std::memory_order_release);
    return false;
  }
  slot.valid_bytes = std::min(valid_bytes, kBufferBytes);
  slot.next = returned_.load(std::memory_order_relaxed);
  while (!returned_.compare_exchange_weak(slot.next, index, std::memory_order_release,
                                          std::memory_order_relaxed)) {}
  return true;
}

uint32_t BufferPool::write_off_held() {
  uint64_t lost = held_.exchange(0, std::memory_order_acquire);
  const auto count = static_cast<uint32_t>(std::popcount(lost));
  for (; lost != 0; lost &= lost - 1) {
    Slot& slot = slots_[static_cast<size_t>(std::countr_zero(lost))];
    std::byte* pages = replaced_ < kMaxBuffers ? map_touched_pages(kBufferBytes) : nullptr;
    slot.bytes.store(reinterpret_cast<uint8_t*>(pages), std::memory_order_relaxed);
    if (pages == nullptr) continue;
    ++replaced_;
    free_.fetch_or(lost & -lost, std::memory_order_release);
  }
  return count;
}

// Takes the whole chain of returned buffers at once and turns it round: the newest is at its head.
void BufferPool::adopt_returned() {
  uint32_t newest = returned_.exchange(kNoBuffer, std::memory_order_acquire);
  while (newest != kNoBuffer) {
    const uint32_t older = slots_[newest].next;
    slots_[newest].next = oldest_;
    oldest_ = newest;
    newest = older;
  }
}

BufferPool::Full BufferPool::take_full() noexcept {
  if (oldest_ == kNoBuffer) adopt_returned();
  if (oldest_ == kNoBuffer) return {};
  Slot& slot = slots_[oldest_];
  oldest_ = slot.next;
  return {slot.bytes.load(std::memory_order_relaxed), slot.valid_bytes};
}

void BufferPool::recycle(const Full& full, bool zero) noexcept {
  if (zero) std::memset(full.bytes, 0, full.valid_bytes);
  free_.fetch_or(uint64_t{1} << index_of(full.bytes), std::memory_order_release);
}

}  // namespace deepprof
