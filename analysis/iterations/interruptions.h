// Where a repetition goes on after something else: what comes now and then (an evaluation, a
// checkpoint) comes between iterations, not within one.
#pragma once

#include <vector>

#include "analysis/iterations/chain.h"
#include "analysis/sequence/sequence.h"

namespace deepprof {

// The places at which the chain goes on behind a jump, in ops behind the level's first landmark, to
// the op, ascending.
std::vector<double> resumed_at(const Sequence& sequence, const LevelModel& level,
                               const std::vector<Link>& chain);

}  // namespace deepprof
