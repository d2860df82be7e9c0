// Whether two traces hold the same events, and if not, which differ first.
#pragma once

#include <string>

#include "analysis/model/trace.h"

namespace deepprof::test {

// Empty where they agree; else a few lines that name the first differences.
//
// Compared are GPU ops (times, name, stream, device, correlation, kind, graph node, and all of the
// Detail), API calls (times, name, correlation, thread), waits (times, correlation, type, stream)
// and overheads.
//
// Left out is what CUPTI's records have no field for:
//   - the process and thread of a wait; an overhead's thread
//   - thread ids beyond 32 bits: CUpti_ActivityAPI has no more
//   - names of copies and fills, which CUPTI gives as numbers: compared by Detail; see
//     name_as_composed()
//   - Op::context, which a .dprof does not keep
//   - the order of events that begin at the same nanosecond
std::string first_difference(const Trace& expected, const Trace& actual);

// What a copy or fill is called by a tool that knows only the numbers of its record.
std::string name_as_composed(const Op& op, const Detail& detail);

}  // namespace deepprof::test
