// What speaks against the miner's answer that it does not weigh itself: marks of the job, which are
// never used to find iterations, and iterations that are hardly alike.
#pragma once

#include "analysis/iterations/mined.h"
#include "analysis/model/trace.h"

namespace deepprof {

// Lowers verdicts and confidences, never raises them. Called after mine().
void doubt(const Trace& trace, Mined& mined);

}  // namespace deepprof
