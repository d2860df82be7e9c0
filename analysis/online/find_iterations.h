// The iterations of a finished trace as people are told of them: what the miner finds, less what
// speaks against it, numbered as the whole run counts.
#pragma once

#include "analysis/iterations/mine.h"

namespace deepprof {

Mined find_iterations(const Trace& trace, const MineOptions& options = {});

}  // namespace deepprof
