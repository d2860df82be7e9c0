// Long jobs made of whole real iterations: the marked steps of a recorded trace, drawn at random
// with replacement, with noise. Test code only.
#pragma once

#include <cstdint>

#include "test/support/truth.h"

namespace deepprof::test {

// Empty trace where the recording has fewer than three marked steps.
LabelledTrace bootstrap(const LabelledTrace& recorded, uint64_t seed, double noise);

}  // namespace deepprof::test
