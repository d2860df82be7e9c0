// The part of the run whose records are kept (DEEPPROF_DELAY, DEEPPROF_DURATION), in the records'
// own clock.
//
// Capture itself runs from cuInit to the end whatever the window: attaching CUPTI to a job that has
// already captured a graph crashes it (pytorch#75504), and switching kinds off deadlocks CUDA 13.0.
// So the window is a filter on the collector thread, exact to the record.
#pragma once

#include <cstdint>

namespace deepprof {

class RecordingWindow {
 public:
  RecordingWindow() = default;  // the whole run
  // `duration_ns` 0: to the end.
  RecordingWindow(int64_t start_of_capture_ns, int64_t delay_ns, int64_t duration_ns)
      : from_ns_(delay_ns == 0 ? INT64_MIN : start_of_capture_ns + delay_ns),
        until_ns_(duration_ns == 0 ? INT64_MAX : start_of_capture_ns + delay_ns + duration_ns) {}

  bool contains(int64_t start_ns) const { return start_ns >= from_ns_ && start_ns < until_ns_; }
  bool comes_after(int64_t start_ns) const { return start_ns < from_ns_; }
  int64_t from_ns() const { return from_ns_; }
  bool is_whole_run() const { return from_ns_ == INT64_MIN && until_ns_ == INT64_MAX; }

 private:
  int64_t from_ns_ = INT64_MIN, until_ns_ = INT64_MAX;
};

}  // namespace deepprof
