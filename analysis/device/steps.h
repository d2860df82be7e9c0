// Optimizer steps that the job's framework told of (DEEPPROF_STEP_HOOK), as iterations: evidence of
// its own for a run without a GPU, and a check of the mined iterations for one with.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/breakdown/account.h"
#include "analysis/device/sample_index.h"

namespace deepprof {

struct Steps {
  uint64_t count = 0;       // of the optimizer that steps most
  uint32_t optimizers = 0;  // that have stepped
  // from the end of one step to the end of the next: count - 1 of them
  std::vector<Window> windows;
  std::vector<int64_t> optimizer_ns;  // by window: the part of it in the optimizer, on the host
  // that began before the one before had ended: several threads step the optimizer
  uint64_t overlapping = 0;
};

// Empty where no step was told of.
Steps find_steps(const SampleIndex& samples);

}  // namespace deepprof
