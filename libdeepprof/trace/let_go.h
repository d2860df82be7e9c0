// What was let go to keep the file's ceiling: which segments, and when their events ran. The writer
// puts it into the file before it overwrites a segment; a reader takes from it what to ignore, and
// for which times it knows nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "libdeepprof/event/event.h"
#include "libdeepprof/event/kind.h"
#include "libdeepprof/trace/bytes.h"

namespace deepprof {

// When the events of a lane ran: least start and greatest end. A lane is a device, or the host's
// calls.
struct LaneSpan {
  static constexpr uint32_t kHost = kHostDevice;

  uint32_t lane = kHost;
  int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;

  // The lane of events of this kind. False: they have none; nobody takes their absence for idle
  // time.
  bool take_lane(Kind kind, uint8_t device) {
    if (is_gpu_op(kind)) lane = device;
    return is_gpu_op(kind) || kind == Kind::api_call || kind == Kind::sync;
  }
  // Leaves out impossible times, which Trace::finish() drops too: they would stretch a span to no
  // end.
  void add_event(int64_t start_ns, int64_t duration_ns) {
    if (!usable_times(start_ns, duration_ns)) return;
    first_ns = std::min(first_ns, start_ns);
    last_ns = std::max(last_ns, start_ns + duration_ns);
  }
  bool touches(int64_t from_ns, int64_t to_ns) const {
    return first_ns <= to_ns && from_ns <= last_ns;
  }
  friend bool operator==(const LaneSpan&, const LaneSpan&) = default;
};

// One span a lane, by lane. Few lanes: a list.
class LaneSpans {
 public:
  void add(const LaneSpan& span);
  void add(const LaneSpans& others);
  bool touches(uint32_t lane, int64_t from_ns, int64_t to_ns) const;

  const std::vector<LaneSpan>& spans() const { return spans_; }
  void put(ByteSink& out) const;
  // False for malformed bytes.
  bool take(ByteReader& in);
  friend bool operator==(const LaneSpans&, const LaneSpans&) = default;

 private:
  std::vector<LaneSpan> spans_;
};

// Neighbouring segments, all let go. `first` 0: events that never were in this file: let go before
// it was written (it is a copy of another), or lost.
struct LetGoRun {
  uint32_t first = 0, last = 0;  // segment numbers, both included
  uint64_t events = 0;
  LaneSpans lanes;

  friend bool operator==(const LetGoRun&, const LetGoRun&) = default;
};

class LetGo {
 public:
  // A segment that has not been let go yet.
  void add(uint32_t segment, uint64_t events, const LaneSpans& lanes);
  // Events that are missing for another reason: let go before this file was written, or lost. Of
  // more than `most` the two of a lane with the least time between them become one.
  static constexpr size_t kMostEarlier = 1024;
  void add_earlier(const LaneSpan& span, size_t most = kMostEarlier);

  bool holds(uint32_t segment) const;
  bool touches(uint32_t lane, int64_t from_ns, int64_t to_ns) const;
  // By segment, never adjacent. In front of them those added as earlier, of one lane each: by lane
  // and time.
  const std::vector<LetGoRun>& runs() const { return runs_; }

  void encode(ByteSink& out) const;
  // False for a malformed payload.
  bool decode(ByteSpan payload);

 private:
  void unite_closest_earlier(size_t most);

  std::vector<LetGoRun> runs_;
};

}  // namespace deepprof
