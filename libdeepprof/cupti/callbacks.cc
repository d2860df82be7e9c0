#include "libdeepprof/cupti/callbacks.h"

#include <atomic>

#include "libdeepprof/capture/process_guard.h"

namespace deepprof::cupti {
namespace {

std::atomic<BufferDesk*> open{nullptr};
std::atomic<bool> null_is_understood{false};

// Whatever CUPTI writes here is lost, and was counted when it was handed out. Several threads may
// be given it at once: nobody reads it.
constexpr size_t kDiscardBytes = size_t{64} << 10;
alignas(64) uint8_t discard[kDiscardBytes];

BufferDesk* open_desk_here() {
  return in_guarded_process() ? open.load(std::memory_order_acquire) : nullptr;
}

void decline(uint8_t** buffer, size_t* bytes) {
  const bool null = null_is_understood.load(std::memory_order_relaxed);
  *buffer = null ? nullptr : discard;
  *bytes = null ? 0 : kDiscardBytes;
}

bool is_early(BufferDesk& desk) {
  return desk.early_requests.load(std::memory_order_relaxed) < BufferDesk::kEarlyRequests &&
         desk.early_requests.fetch_add(1, std::memory_order_relaxed) < BufferDesk::kEarlyRequests;
}

}  // namespace

void open_desk(BufferDesk* desk) {
  null_is_understood.store(desk->may_decline_with_null);
  open.store(desk, std::memory_order_release);
}

void close_desk() { open.store(nullptr, std::memory_order_release); }

void buffer_requested(uint8_t** buffer, size_t* bytes, size_t* max_records) {
  *max_records = 0;  // as many as fit
  BufferDesk* desk = open_desk_here();
  if (desk == nullptr) return decline(buffer, bytes);
  desk->movements.fetch_add(1, std::memory_order_relaxed);
  if (desk->threads != nullptr) desk->threads->note_caller();
  *buffer = desk->pool.take();
  *bytes = BufferPool::kBufferBytes;
  const bool first = !desk->used.load(std::memory_order_relaxed) && !desk->used.exchange(true);
  if (is_early(*desk) && desk->on_early_request != nullptr) desk->on_early_request();
  if (first || desk->pool.runs_low()) desk->collector.ring();  // it grows the pool
  if (*buffer != nullptr) return;
  desk->losses.add(Loss::no_buffer);
  decline(buffer, bytes);
}

void buffer_completed(void*, uint32_t, uint8_t* buffer, size_t, size_t valid_bytes) {
  BufferDesk* desk = open_desk_here();
  if (desk == nullptr || !desk->pool.put_full(buffer, valid_bytes)) return;
  desk->movements.fetch_add(1, std::memory_order_relaxed);
  desk->collector.ring();
}

void buffer_requested_v2(uint8_t** buffer, size_t* bytes, size_t* max_records, void*) {
  buffer_requested(buffer, bytes, max_records);
}

void buffer_completed_v2(uint8_t* buffer, size_t bytes, size_t valid_bytes, void*) {
  buffer_completed(nullptr, 0, buffer, bytes, valid_bytes);
}

}  // namespace deepprof::cupti
