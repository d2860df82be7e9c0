// Takes out of whole-run statistics the iterations during which another tool had CUPTI: from the
// start of one to that of the next lies a spell of which nothing is known, which is not its time.
// They stay counted.
#pragma once

#include <span>

#include "analysis/model/spells.h"
#include "analysis/online/run_statistics.h"

namespace deepprof {

// Called by the report, when the trace tells of the spells: while the job ran, the next iteration
// may have been timed before the spell was known. A spell makes an iteration slow by far; those
// that are not among the longest slow ones of their kind stay.
void untime_spells(std::span<const Spell> spells, RunStatistics& run);

}  // namespace deepprof
