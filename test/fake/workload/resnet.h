// A modelled ResNet-50 training job on one GPU: warm-up with autotuning, iterations of forward,
// backward and optimizer, input copies on a second stream, evaluation phases, checkpoints, and a
// host that stalls now and then on its input.
#pragma once

#include "test/fake/workload/timeline.h"

namespace deepprof::fake {

struct ResnetOptions {
  uint32_t iterations = 300;
  // first iterations, which try several algorithms for each convolution
  uint32_t warmup = 3;
  uint32_t evaluate_every = 100;  // 0: never
  uint32_t evaluation_batches = 10;
  uint32_t checkpoint_every = 150;  // 0: never
  uint32_t batch = 64;
  double stall_share = 0.02;          // of the iterations wait long for their input
  std::vector<uint32_t> long_stalls;  // these iterations wait for half a second
  // Where the job's memory comes from and goes to: its set-up takes 40 pieces of 64 MB and pinned
  // memory for two batches, and each iteration takes a workspace and gives it back.
  bool allocations = false;
  uint64_t leak_bytes = 0;  // more, that each iteration takes and never gives back
  uint64_t seed = 1;
  double jitter = 0.05;  // spread of every time
};

// The recording, and the first op's index of every training iteration for tests that want the
// truth.
struct Modelled {
  recording::Recording recording;
  std::vector<uint64_t> iteration_begins;
};
Modelled model_resnet(const ResnetOptions& options);

}  // namespace deepprof::fake
