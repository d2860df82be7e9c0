// Where exactly iterations end beside what is none like them: a checkpoint, an evaluation, the
// set-up. A step of mine().
#pragma once

#include <vector>

#include "analysis/iterations/assemble.h"
#include "analysis/model/trace.h"
#include "analysis/sequence/sequence.h"

namespace deepprof {

// Moves the borders between stretches of unlike kinds. Beside such a stretch an iteration may lack
// the ops that stand at its border elsewhere (a result read behind the update stands before the
// checkpoint), and its usual length then takes in as many ops of the stretch, and the host's wait
// between them. Ops at the border that are not those of other iterations, or behind which the
// device waited far longer than there, and which go on with what the stretch consists of, are given
// back to it.
void settle_borders(const Trace& trace, const Sequence& sequence, std::vector<Stretch>& stretches);

}  // namespace deepprof
