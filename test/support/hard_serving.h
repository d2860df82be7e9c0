// Hard cases of jobs that serve: an iteration is one forward pass, one token or one image. Listed
// by hard_cases.cc.
#pragma once

#include <cstdint>

#include "test/support/truth.h"

namespace deepprof::test {

LabelledTrace decode(uint64_t seed);
LabelledTrace prefill(uint64_t seed);
LabelledTrace continuous_batching(uint64_t seed);
LabelledTrace diffusion(uint64_t seed);
LabelledTrace beam_search(uint64_t seed);

}  // namespace deepprof::test
