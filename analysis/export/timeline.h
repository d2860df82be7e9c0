// A trace as tracks of slices: what the exporters for timeline viewers share. A track belongs to a
// group (a GPU, or the host process) and is named for its stream or thread; where intervals
// overlap, a track has further levels with tracks of their own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/iterations/mined.h"
#include "analysis/model/trace.h"

namespace deepprof {

struct TimelineTrack {
  uint32_t group = 0;  // index into Timeline::groups
  std::string name;    // "stream 7", "thread 4711 main", "stream 7 (overlap 2)"
  int32_t order = 0;   // among the tracks of its group
};

struct TimelineSlice {
  enum class Source : uint8_t { op, call, range, overhead, iteration, hole };
  int64_t start_ns = 0, end_ns = 0;
  uint32_t track = 0;  // index into Timeline::tracks
  // index into the trace's ops, calls, ranges, overheads, holes; the iteration's number
  uint32_t row = 0;
  Source source = Source::op;
};

struct Timeline {
  std::vector<std::string> groups;  // "GPU 0 NVIDIA H200", "python train.py (pid 41873)"
  std::vector<TimelineTrack> tracks;
  std::vector<TimelineSlice> slices;  // by source, each in order of starts
};

Timeline lay_out(const Trace& trace, const Mined& mined);

// The words of a slice.
std::string slice_name(const Trace& trace, const TimelineSlice& slice);

}  // namespace deepprof
