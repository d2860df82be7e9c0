// The annotations that are open on a thread at an instant, such as that of a launch: innermost
// first, which is the one that began last, of those that began together the one that ends first,
// of equal ones the last in the file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "analysis/model/trace.h"

namespace deepprof {

class OpenRanges {
 public:
  // More that are open at a time are no nesting of a program: only the innermost are told.
  static constexpr size_t kDeepest = 256;

  // `source`: only ranges of it; empty: of all but profilers' step markers.
  OpenRanges(const Trace& trace, std::optional<RangeSource> source);

  // Indices into trace.ranges, of ranges that began at `time_ns` or before and end behind it. For
  // each thread `time_ns` must not be smaller than in the call before. Valid until the next call.
  std::span<const uint32_t> at(uint32_t thread, int64_t time_ns);

 private:
  struct Walk {
    std::vector<uint32_t> ranges;  // of the thread, by start, outer ones first
    size_t next = 0;               // into them
    std::vector<uint32_t> open;    // of `ranges`; ended ones are dropped when they are met
  };

  const Trace& trace_;
  std::unordered_map<uint32_t, Walk> walks_;
  std::vector<uint32_t> found_;
};

}  // namespace deepprof
