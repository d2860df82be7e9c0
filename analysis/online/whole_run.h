// The part of the summary that covers the whole run, however long, from the statistics that were
// kept while it ran. Called by the summary, and by the exit path alone when the events are too many
// to be read back.
#pragma once

#include <map>
#include <string>

#include "analysis/report/page.h"

namespace deepprof {

using Blobs = std::map<std::string, std::string>;

// Nothing where no blob holds run statistics. `events_let_go`: raw events that are not in the file
// any more.
void whole_run_part(const Blobs& blobs, uint64_t events_let_go, Page& page);

}  // namespace deepprof
