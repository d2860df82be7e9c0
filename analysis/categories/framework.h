// The framework that a job was written in, as far as the names of its kernels and annotations tell.
// For advice: what helps a PyTorch job is no help to a CUDA program.
#pragma once

#include <cstdint>

#include "analysis/model/trace.h"

namespace deepprof {

enum class Framework : uint8_t {
  none,  // nothing of a framework was seen: a CUDA program, or one that this does not know
  torch,
  xla,  // JAX, or TensorFlow through XLA
  tensorflow,
};
inline constexpr size_t kFrameworks = 4;

Framework framework_of(const Trace& trace);

}  // namespace deepprof
