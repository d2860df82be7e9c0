// GPU and host each have a clock, which the recorder brings together; in some files they are
// seconds or days apart, and every wait would be told wrongly.
#pragma once

#include "analysis/model/trace.h"

namespace deepprof {

// Per device of a finished trace: where launches and ops cannot be of one clock, moves the ops to
// the host's (no op begins before its launch) as far as the clocks keep one distance, and else
// parts the ops from their launches. Says so in the facts kClockMoved and kClockUnusable.
void settle_clocks(Trace& trace);

}  // namespace deepprof
