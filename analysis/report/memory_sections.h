// The tables of what the job allocated (DEEPPROF_MEMORY=1, imported traces), and their part of the
// page. Column names are stable: people's scripts read them.
#pragma once

#include "analysis/device/memory_use.h"
#include "analysis/report/figures.h"
#include "analysis/report/page.h"
#include "analysis/report/sections.h"
#include "analysis/report/table.h"

namespace deepprof {

// A row for each device and kind of memory: the peak, what is in use at the end, how it grows; of
// the run, or of the part that the view names.
Table memory_table(const Trace& trace, const Figures& figures, Names names);
// A row for each iteration, device and kind of memory.
Table memory_iterations_table(const Trace& trace, const Figures& figures);
// The largest pieces that were in use at the peak of each device and kind.
Table memory_largest_table(const Trace& trace, const Figures& figures, Names names);
// A row for each step.
Table memory_series_table(const Trace& trace, const Figures& figures, Names names);

// "MEMORY ...": nothing where no allocation was recorded.
void memory_part(const Trace& trace, const Figures& figures, Page& page);

}  // namespace deepprof
