// What the control thread knows and the sampler needs: how the clock of the GPU records stands, and
// which GPUs the job sees, or uses.
#pragma once

#include "libdeepprof/capture/clock.h"
#include "libdeepprof/sample/gpu_source.h"

namespace deepprof {

struct SamplerBriefing {
  RecordsClock clock;
  VisibleGpus gpus;
  // Before the control thread starts. In a job of several ranks each sees all GPUs of the machine:
  // those that it does not use are the other ranks' to sample.
  bool used_gpus_only = false;
};

}  // namespace deepprof
