// The part of the summary that covers the whole run, however long, from the statistics that were
// kept while it ran. Where events were let go and there are none, or they end early, it says so:
// what else the summary tells is then of what is left.
#pragma once

#include <map>
#include <string>

#include "analysis/model/trace.h"
#include "analysis/report/page.h"

namespace deepprof {

// Called by the summary, with what is left of the run in the file. Nothing where no statistics were
// stored and no events let go.
void whole_run_part(const Trace& trace, Page& page);
// Called by the exit path when the events are too many to be read back.
using Blobs = std::map<std::string, std::string>;
void whole_run_part(const Blobs& blobs, Page& page);

}  // namespace deepprof
