// Hard cases of training whose steps are hard to tell from their parts, or unlike each other.
// Listed by hard_cases.cc.
#pragma once

#include <cstdint>

#include "test/support/truth.h"

namespace deepprof::test {

LabelledTrace ddp(uint64_t seed, bool launch_order);
LabelledTrace flat(uint64_t seed);
LabelledTrace buckets(uint64_t seed, bool same_length);
LabelledTrace rnn(uint64_t seed);
LabelledTrace accumulation(uint64_t seed, int micro_steps, bool names);
LabelledTrace equal_layers(uint64_t seed, int layers, int per_mille);
LabelledTrace gan(uint64_t seed, int critic_steps);
LabelledTrace amp_skip(uint64_t seed);
LabelledTrace experts(uint64_t seed);
LabelledTrace graphs(uint64_t seed);
LabelledTrace pipeline(uint64_t seed);
LabelledTrace recomputed(uint64_t seed);
LabelledTrace fused_loop(uint64_t seed);
LabelledTrace routed(uint64_t seed);

}  // namespace deepprof::test
