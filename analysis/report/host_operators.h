// The host's time in operators and annotations, for jobs that ran nothing on a GPU.
#pragma once

#include "analysis/model/trace.h"
#include "analysis/report/page.h"

namespace deepprof {

// By their own time: without what other ranges inside take. Nothing where there are no ranges.
void host_operators_part(const Trace& trace, Page& page);

}  // namespace deepprof
