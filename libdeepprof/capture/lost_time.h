// When those events ran that a full ring dropped: the collector notes it, the drain thread puts it
// into the file, so that the time without them is not taken for idle. Only what is lost anyway
// takes the lock.
#pragma once

#include <mutex>
#include <utility>

#include "libdeepprof/event/event.h"
#include "libdeepprof/event/kind.h"
#include "libdeepprof/trace/let_go.h"

namespace deepprof {

class LostTime {
 public:
  void add(const Event& event) {
    LaneSpan span;
    if (!span.take_lane(event.kind(), event.device)) return;
    span.add_event(event.start_ns, event.duration_ns());
    if (span.first_ns > span.last_ns) return;
    const std::lock_guard lock(mutex_);
    lanes_.add(span);
  }
  // What was added since the last time.
  LaneSpans take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(lanes_, {});
  }

 private:
  std::mutex mutex_;
  LaneSpans lanes_;
};

}  // namespace deepprof
