// Hard cases of training that is interrupted, changes, is recorded badly or is short. Listed by
// hard_cases.cc.
#pragma once

#include <cstdint>

#include "test/support/truth.h"

namespace deepprof::test {

LabelledTrace noise(uint64_t seed, int per_mille);
LabelledTrace lost_buffers(uint64_t seed);
LabelledTrace train_and_evaluate(uint64_t seed, int train_steps, int evaluation_steps);
LabelledTrace checkpoint(uint64_t seed);
LabelledTrace autotuned(uint64_t seed);
LabelledTrace prefetched(uint64_t seed);
LabelledTrace reinforcement(uint64_t seed);
LabelledTrace few(uint64_t seed, int steps, int per_mille);
LabelledTrace recompiled(uint64_t seed);

}  // namespace deepprof::test
