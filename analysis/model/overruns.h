// Ops whose end their recorder got wrong: a stream runs one op after another, and they seem to run on for
// long while the next has begun; they would be busy time of hours.
#pragma once

#include <cstdint>

#include "analysis/model/trace.h"

namespace deepprof {

inline constexpr int64_t kOverrun_ns = 1'000'000'000;

// Whether an op that ends then runs on for too long when the next one of its stream has begun.
inline bool is_overrun(int64_t end_ns, int64_t next_start_ns) {
  return end_ns - next_start_ns > kOverrun_ns;
}

// Of a finished trace: drops them, and says how many. Not judged are those that no stream orders:
// nodes of a graph overlap, and pages of managed memory move while the kernel runs that needs them.
uint64_t drop_overruns(Trace& trace);

}  // namespace deepprof
