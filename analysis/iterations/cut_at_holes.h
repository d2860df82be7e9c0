// Iterations end where the recording has a hole: what was let go, or went to another tool, is
// missing there. Steps of mine(): tiles are cut before they are sorted into sections, and
// iterations that lie at a hole are marked partial once their times are known.
#pragma once

#include <vector>

#include "analysis/iterations/contents.h"
#include "analysis/iterations/mined.h"
#include "analysis/model/trace.h"
#include "analysis/sequence/sequence.h"

namespace deepprof {

// A tile with ops from both sides of a hole becomes two, both partial.
void cut_at_holes(const Trace& trace, const Sequence& sequence, std::vector<Tile>& tiles);

// Two neighbours with a hole between their starts are both partial, and the window of the first
// ends with its last op. The same for the first iteration behind a hole at the very front.
void close_at_holes(const Trace& trace, DeviceMined& mined);

}  // namespace deepprof
