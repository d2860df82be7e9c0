// Blocks of events that a damaged file has lost. What they held is not known, but their neighbours
// say for which time it is missing.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/model/trace.h"

namespace deepprof {

// Filled by the reader while events are in the order of the file; turned into holes before they
// are sorted.
class LostBlocks {
 public:
  // A block that is read from here on, in order of sequence.
  void begin_block(uint64_t sequence, const Trace& trace) {
    blocks_.push_back({sequence, trace.ops.size(), trace.calls.size()});
  }
  // A block that could not be read: behind all whose sequence is less.
  void lost(uint64_t sequence) { lost_.push_back(sequence); }

  // On each lane (a stream, a thread) what is missing ran between the last event before and the
  // first one behind. Behind the last block it ran until `last_ns`; INT64_MIN: not known.
  void add_holes(int64_t last_ns, Trace& trace) const;

 private:
  struct Block {
    uint64_t sequence = 0;
    size_t first_op = 0, first_call = 0;  // indices into the trace
  };

  void add_holes_at(size_t next, int64_t last_ns, Trace& trace) const;

  std::vector<Block> blocks_;
  std::vector<uint64_t> lost_;
};

}  // namespace deepprof
