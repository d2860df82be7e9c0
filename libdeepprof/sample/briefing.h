// What the control thread knows and the sampler needs: how the clock of the GPU records stands, and
// which GPUs the job sees.
#pragma once

#include "libdeepprof/capture/clock.h"
#include "libdeepprof/sample/gpu_source.h"

namespace deepprof {

struct SamplerBriefing {
  RecordsClock clock;
  VisibleGpus gpus;
};

}  // namespace deepprof
