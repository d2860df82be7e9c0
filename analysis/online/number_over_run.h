// Numbers the iterations of a recording with holes as the whole run counts them: behind a hole, the
// first iteration in the file is not the next one of the run. Called after mine().
#pragma once

#include "analysis/iterations/mined.h"
#include "analysis/model/trace.h"

namespace deepprof {

// From the statistics that were kept while the job ran: they know the number of the slowest
// iterations, and how many had passed when they were stored. A stretch between holes that holds
// none of these counts on from the one before: its numbers are the least that they can be. Without
// holes nothing changes.
void number_over_run(const Trace& trace, Mined& mined);

}  // namespace deepprof
