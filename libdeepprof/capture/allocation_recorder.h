// From allocation events to what is in use: the drain thread's part of DEEPPROF_MEMORY=1.
//
// Records come by the buffers of the threads that made them, so a release may come before its
// allocation. Steps wait until the flush after the one that they came before, and go on in order of
// time. A killed job loses what waits. Steps ahead of the recorded part (DEEPPROF_DELAY) only tell
// what is in use when it begins.
#pragma once

#include <cstdint>
#include <vector>

#include "libdeepprof/capture/recording_window.h"
#include "libdeepprof/event/allocation.h"
#include "libdeepprof/trace/allocation_ledger.h"
#include "libdeepprof/trace/writer.h"

namespace deepprof {

class AllocationRecorder {
 public:
  // Before the first step.
  void keep_only(const RecordingWindow& window) { window_ = window; }
  void add(const Event& event, const AllocationDetail& detail);
  // `last`: nothing more will come. True: something waits for the next flush.
  bool flush(TraceWriter& writer, int64_t monotonic_ns, bool last);
  uint64_t events_written() const { return events_written_; }

 private:
  void take(Allocation step, TraceWriter& writer);
  void count_from(int64_t now_ns);
  void write(Allocation step, TraceWriter& writer);

  RecordingWindow window_;
  std::vector<Allocation> waiting_;
  int64_t newest_ns_ = INT64_MIN, newest_at_flush_ns_ = INT64_MIN;
  AllocationLedger ledger_;
  int64_t next_store_ns_ = INT64_MIN;
  uint64_t events_written_ = 0;
  bool counting_ = false;    // the window has begun
  bool not_stored_ = false;  // the totals of the newest steps
};

}  // namespace deepprof
