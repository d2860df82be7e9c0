// A trace as a recording for replay under the stand-ins: `deepprof export --to recording`.
//
// What a recording has no place for is left out: named ranges, samples, losses, facts about the
// process. So are the names of copies, fills, waits and graph launches, which a replay composes
// anew as CUPTI's records carry numbers only.
#pragma once

#include "analysis/export/recording_format.h"
#include "analysis/model/trace.h"

namespace deepprof {

recording::Recording to_recording(const Trace& trace);

}  // namespace deepprof
