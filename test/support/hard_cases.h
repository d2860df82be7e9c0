// The hard cases of iteration mining, each a family of jobs drawn from a seed, with truth. Test
// code only.
//
// An iteration is one training step (the whole accumulation, the whole GAN or reinforcement cycle),
// one evaluation step, one forward pass of an inference server. Negatives have no iteration.
#pragma once

#include <span>
#include <string>

#include "test/support/truth.h"

namespace deepprof::test {

struct Family {
  const char* name;
  double target;  // of the mean F1 (docs/mining.md)
  bool negative;  // nothing may be called an iteration
  LabelledTrace (*draw)(uint64_t seed);
};

std::span<const Family> families();

}  // namespace deepprof::test
