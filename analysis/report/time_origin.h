// What times are counted from where people read them.
#pragma once

#include <cstdint>

#include "analysis/model/trace.h"

namespace deepprof {

// The first GPU op, as --from takes it; of a trace without one, what was first sampled or
// allocated.
struct TimeOrigin {
  int64_t time_ns = 0;
  const char* words = "";  // "at: since the first GPU op"
};
TimeOrigin time_origin(const Trace& trace);

// When the recording ends: the last time that it holds. 0 where it holds none.
int64_t last_time_ns(const Trace& trace);

}  // namespace deepprof
