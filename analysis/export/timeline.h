// A trace as tracks of slices: what the exporters for timeline viewers share. A track belongs to a
// group (a GPU, or the host process) and is named for its stream or thread; where intervals
// overlap, a track has further levels with tracks of their own.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/iterations/mined.h"
#include "analysis/model/trace.h"

namespace deepprof {

struct TimelineTrack {
  uint32_t group = 0;  // its number
  std::string name;    // "stream 7", "thread 4711 main", "stream 7 (overlap 2)"
  int32_t order = 0;   // among the tracks of its group
};

struct TimelineSlice {
  enum class Source : uint8_t { op, call, range, overhead, iteration, hole };
  int64_t start_ns = 0, end_ns = 0;
  uint32_t track = 0;  // its number
  // index into the trace's ops, calls, ranges, overheads, holes; the iteration's number
  uint32_t row = 0;
  Source source = Source::op;
};

// Takes a timeline piece by piece: there may be as many slices as ops and calls, and they are kept
// nowhere.
class TimelineVisitor {
 public:
  virtual ~TimelineVisitor() = default;

  // Before the group's first track: "GPU 0 NVIDIA H200", "python train.py (pid 41873)". Numbered
  // from 0, likewise tracks.
  virtual void group(uint32_t number, const std::string& name) = 0;
  // Before the track's first slice.
  virtual void track(uint32_t number, const TimelineTrack& track) = 0;
  // By source (ops, iterations, ranges, calls, overheads, holes), each in order of starts.
  virtual void slice(const TimelineSlice& slice) = 0;
};

void lay_out(const Trace& trace, const Mined& mined, TimelineVisitor& visitor);

// The words of a slice.
std::string slice_name(const Trace& trace, const TimelineSlice& slice);

// The counter that a step of allocation belongs to: "allocated_bytes device GPU 0".
std::string memory_track_name(const Allocation& step);

}  // namespace deepprof
