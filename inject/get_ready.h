// What both ways into a job do before they record anything.
#pragma once

#include <cstdint>

#include "inject/options.h"

namespace deepprof {

// False: nothing is to be recorded here. Opens the log and says what was wrong with the variables,
// and where a limit of address space would leave too little beside the `mapped_bytes` of a
// recording.
bool get_ready(Options& options, const Rank& rank, uint64_t mapped_bytes);

}  // namespace deepprof
