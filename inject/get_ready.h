// What both ways into a job do before they record anything.
#pragma once

#include "inject/options.h"

namespace deepprof {

// False: nothing is to be recorded here. Opens the log and says what was wrong with the variables.
bool get_ready(Options& options, const Rank& rank);

}  // namespace deepprof
