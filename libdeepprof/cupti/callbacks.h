// The two functions that CUPTI calls to get and to return buffers: the hot edge of the library.
//
// buffer_requested runs inside the job's launch call, on the job's thread: no allocation, no lock,
// no log, no page fault. When it has no buffer to give (all are with CUPTI, capture has ended, this
// is a forked child) it declines: with null where CUPTI understands that (since API version 27,
// CUDA 12.9; an older one crashes), else with one static buffer whose content is thrown away.
#pragma once

#include <atomic>
#include <cstdint>

#include "libdeepprof/capture/buffer_pool.h"
#include "libdeepprof/capture/doorbell.h"
#include "libdeepprof/capture/loss_counters.h"
#include "libdeepprof/cupti/api.h"
#include "libdeepprof/cupti/thread_numbers.h"

namespace deepprof::cupti {

inline constexpr uint32_t kFirstVersionThatTakesNull = 27;

// Everything here lives as long as the process: CUPTI may call at any time after registration.
struct BufferDesk {
  BufferPool& pool;
  Doorbell& collector;  // rung when a buffer has come back, or when few are left
  LossCounters& losses;
  bool may_decline_with_null;
  // Runs inside each of the first kEarlyRequests. The one exception to the rule above: it must be
  // done before that launch returns, as a job may end right after it. The first may come long
  // before the job's first context: CUDA's runtime counts the GPUs.
  static constexpr uint32_t kEarlyRequests = 16;
  void (*on_early_request)() = nullptr;
  ThreadNumbers* threads = nullptr;  // told of every thread that asks
  // buffers asked for and returned: shows that CUPTI works for us
  std::atomic<uint64_t> movements{0};
  std::atomic<bool> used{false};  // CUPTI has asked for a buffer: the job's cuInit is done
  std::atomic<uint32_t> early_requests{0};
};

// Before registering the callbacks. The desk stays open until close_desk().
void open_desk(BufferDesk* desk);
// From now on requests are declined and returned buffers ignored.
void close_desk();

void buffer_requested(uint8_t** buffer, size_t* bytes, size_t* max_records);
void buffer_completed(void* context, uint32_t stream, uint8_t* buffer, size_t bytes,
                      size_t valid_bytes);
void buffer_requested_v2(uint8_t** buffer, size_t* bytes, size_t* max_records, void* info);
void buffer_completed_v2(uint8_t* buffer, size_t bytes, size_t valid_bytes, void* info);

}  // namespace deepprof::cupti
