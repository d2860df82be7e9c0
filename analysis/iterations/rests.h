// What the first answer left out may repeat in its own way: evaluation, a second phase of the job.
// mine() calls it once it knows the iterations.
#pragma once

#include <functional>
#include <vector>

#include "analysis/iterations/tiles.h"
#include "analysis/model/trace.h"
#include "analysis/sequence/sequence.h"

namespace deepprof {

// Adds the iterations found between `tiles` (and at the ends) to them. All such stretches are
// searched as one string: evaluation may come in many stretches of a few passes each. Repeated
// while something is found and `out_of_time` says false. Returns whether something repeats in what
// is left that is not known to be iterations.
bool search_rests(const Trace& trace, const Sequence& sequence,
                  const std::function<bool()>& out_of_time, std::vector<Tile>& tiles);

}  // namespace deepprof
