// The replay CUPTI's worker thread: completes records when the "GPU" is done with their op and
// returns buffers to the client. No callback ever runs on a launching thread, but for buffer
// requests.
#pragma once

#include <cstdint>
#include <vector>

#include "test/fake/cupti/client.h"

namespace deepprof::fake {

// The buffer is complete (or forced out): its client's callback will get it. Any thread.
void hand_to_worker(Buffer* buffer);

// At ready_ns of CLOCK_MONOTONIC the record at `offset` gets its times. Any thread.
struct Completion {
  int64_t ready_ns;
  Buffer* buffer;
  size_t offset;    // of the record
  size_t times_at;  // of its start field within the record; its end field follows
  int64_t start_ns, end_ns;
};
void complete_later(const Completion& completion);

// Returns what may be returned of every client's buffers and waits until the client has taken it.
void flush_all(bool forced);

// From now on nothing is completed or returned.
void stop_worker();

}  // namespace deepprof::fake
