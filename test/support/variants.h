// What happens to recordings on their way to us: cut short, rounded, stripped of ids or names,
// joined with others. Applied to labelled traces, they give the miner recordings that nobody has
// tuned it on. Test code only.
#pragma once

#include <span>
#include <vector>

#include "test/support/job.h"
#include "test/support/truth.h"

namespace deepprof::test {

struct Variant {
  const char* name;
  bool for_negatives;  // a recording without iterations stays one
  // The recording as it would look then: several where several answers are asked of it (each with
  // its own labels), none where it does not apply. `other`: a recording to join with.
  std::vector<LabelledTrace> (*make)(const LabelledTrace& recorded, const LabelledTrace& other,
                                     Random& random);
};

std::span<const Variant> variants();

}  // namespace deepprof::test
