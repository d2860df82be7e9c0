// GPU time by what the host was in when it launched it: framework operators, NVTX ranges, Python
// functions.
#pragma once

#include <optional>

#include "analysis/report/figures.h"
#include "analysis/report/sections.h"
#include "analysis/report/table.h"

namespace deepprof {

// A row for each annotation in which an op of the basis was launched, most of its own time first:
// what it launched itself (the own times of a device add up to its GPU time, with a row for what
// was launched in none), and what it launched with the annotations inside it. `source`: only
// annotations of that source; empty: of all but profilers' step markers.
Table operators_table(const Trace& trace, const Figures& figures, std::optional<RangeSource> source,
                      Names names);

}  // namespace deepprof
