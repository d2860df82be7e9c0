// Steps that the job, its framework or its profiler marked on the host: torch.profiler's
// ProfilerStep#N, numbered NVTX ranges, JAX's step annotations, optimizer steps. Of all that is
// marked, the ranges that most likely are steps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/model/trace.h"

namespace deepprof {

struct Mark {
  int64_t start_ns = 0, end_ns = 0;  // on the host, half-open
  NameId name = 0;                   // of the range; 0: our own recorder was told of the step
};

// The marks of one source whose names differ in their numbers alone.
struct StepMarks {
  std::string marker;  // "ProfilerStep#N"; empty: none were made
  // Ranges that are no steps by name: they count as such only where most of the work lies in them.
  bool by_repetition = false;
  struct OfProcess {
    uint32_t pid = 0;
    std::vector<Mark> marks;  // of the thread that makes most, by start
  };
  std::vector<OfProcess> processes;
};
StepMarks find_step_marks(const Trace& trace);

}  // namespace deepprof
