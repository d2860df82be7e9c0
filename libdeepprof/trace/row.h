// A row: an event or a range as the trace file holds it.
#pragma once

#include <cstdint>

#include "libdeepprof/event/event.h"

namespace deepprof {

// What repeats of a row.
struct Token {
  uint8_t kind = 0;             // Kind; in a block of ranges: RangeSource
  bool on_device = false;       // which pair of time columns the row uses
  bool has_graph_node = false;  // whether rows have a value in the graph node column
  uint16_t device = 0;
  NameId name = 0;
  uint32_t track = 0;
  uint32_t detail = 0;  // index within the segment's details; 0: none

  friend bool operator==(const Token&, const Token&) = default;
};

struct Row {
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  uint32_t correlation = 0;
  uint32_t graph_node = 0;
  uint32_t token = 0;  // index into the block's tokens
};

}  // namespace deepprof
