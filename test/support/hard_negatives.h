// Jobs without iterations, or with one alone. Listed by hard_cases.cc.
#pragma once

#include <cstdint>

#include "test/support/truth.h"

namespace deepprof::test {

LabelledTrace random_ops(uint64_t seed);
LabelledTrace markov(uint64_t seed);
LabelledTrace one_forward(uint64_t seed);
LabelledTrace one_forward_of_experts(uint64_t seed);
LabelledTrace offloaded(uint64_t seed);
LabelledTrace one_training_step(uint64_t seed);
LabelledTrace one_off(uint64_t seed);

}  // namespace deepprof::test
