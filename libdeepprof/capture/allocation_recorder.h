// From allocation events to what is in use: the drain thread's part of DEEPPROF_MEMORY=1.
//
// Records come by the buffers of the threads that made them, so a release may come before its
// allocation. Steps wait until the flush after the one that they came before, and go on in order of
// time. A killed job loses what waits.
#pragma once

#include <cstdint>
#include <vector>

#include "libdeepprof/event/allocation.h"
#include "libdeepprof/trace/allocation_ledger.h"
#include "libdeepprof/trace/writer.h"

namespace deepprof {

class AllocationRecorder {
 public:
  void add(const Event& event, const AllocationDetail& detail);
  // `last`: nothing more will come. True: something waits for the next flush.
  bool flush(TraceWriter& writer, int64_t monotonic_ns, bool last);
  uint64_t events_written() const { return events_written_; }

 private:
  void write(Allocation step, TraceWriter& writer);

  std::vector<Allocation> waiting_;
  int64_t newest_ns_ = INT64_MIN, newest_at_flush_ns_ = INT64_MIN;
  AllocationLedger ledger_;
  int64_t next_store_ns_ = INT64_MIN;
  uint64_t events_written_ = 0;
  bool not_stored_ = false;  // the totals of the newest steps
};

}  // namespace deepprof
