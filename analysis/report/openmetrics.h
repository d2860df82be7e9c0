// The run's main figures as OpenMetrics text, for whatever scrapes or pushes such files
// (DEEPPROF_METRICS_FILE). A figure that is not known has no line: it is never printed as 0.
#pragma once

#include <string>

#include "analysis/report/figures.h"

namespace deepprof {

std::string openmetrics_text(const Trace& trace, const Figures& figures);

}  // namespace deepprof
