// Rows that a foreign recorder dated a month or more away from the others of their kind: one such
// time would make a run of years, most of it idle.
#pragma once

#include <cstdint>

#include "analysis/model/trace.h"

namespace deepprof {

// Of a finished trace: keeps, of each device's ops and each process's calls and ranges, the stretch
// with most rows that no such gap parts. Drops the others, and says how many.
uint64_t drop_far_times(Trace& trace);

}  // namespace deepprof
