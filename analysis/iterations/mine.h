// mine(): finds the iterations of every device of a finished trace without any annotation. Called
// by the exit path inside the job (with a time and memory budget) and by the command.
// Single-threaded, no recursion, never throws but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>

#include "analysis/iterations/mined.h"
#include "analysis/model/trace.h"

namespace deepprof {

struct MineOptions {
  // 0: none. Past it the device is answered "none" with that reason
  int64_t time_budget_ns = 0;
  size_t memory_budget_bytes = 0;  // 0: none
  // false: names only tell symbols apart, no optimizer is recognised by one
  bool use_names = true;
};

Mined mine(const Trace& trace, const MineOptions& options = {});

}  // namespace deepprof
