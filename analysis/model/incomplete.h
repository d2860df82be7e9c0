// Whether a trace lacks so much that its figures are in doubt: one judgement for the data line of
// the report, its findings, the gate of `compare` and `deepprof check`.
#pragma once

#include "analysis/model/trace.h"

namespace deepprof {

// A hundredth of the records has no usable times, or was not understood: what they ran in is idle
// time to us.
inline bool lacks_records(const Trace& trace) {
  const uint64_t lacking = trace.losses[Loss::bad_timestamp] + trace.losses[Loss::import_skipped];
  return lacking > (trace.ops.size() + trace.calls.size()) / 100;
}

// What of an accelerator the file has and is not read, where nothing of a GPU is: a fact, whose value
// is the end of a sentence.
inline constexpr const char* kUnreadDevice = "unread_device";

// How many launches of kernels there are in a trace of ops none of which is a kernel or a graph:
// they were not recorded, their table is lost, or every launch failed. 0: nothing of the kind.
uint64_t launches_without_kernels(const Trace& trace);

inline bool is_incomplete(const Trace& trace) {
  return trace.losses.any(Severity::error) || lacks_records(trace) ||
         launches_without_kernels(trace) > 0;
}

}  // namespace deepprof
