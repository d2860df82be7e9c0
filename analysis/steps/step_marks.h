// Steps that the job, its framework or its profiler marked on the host: torch.profiler's
// ProfilerStep#N, numbered NVTX ranges, JAX's step annotations, optimizer steps. Of all that is
// marked, the ranges that may be steps, the likeliest first.
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

// What a range says of itself by its source and its name, best first.
enum class MarkRank : uint8_t {
  step,            // a framework's or profiler's mark of steps
  named_step,      // "train_step 7"
  optimizer_step,  // the end of a step
  repeated,        // says nothing of steps
  layer,           // "layer_7": a part of a step
  none
};

// The marks of one source whose names differ in their numbers alone.
struct StepMarks {
  std::string marker;  // "ProfilerStep#N"
  MarkRank rank = MarkRank::none;
  bool numbered = false;  // the names differ
  // Ranges that are no steps by name: they count as such only where most of the work lies in them.
  bool by_repetition() const { return rank == MarkRank::repeated || rank == MarkRank::layer; }
  struct OfProcess {
    uint32_t pid = 0;
    std::vector<Mark> marks;  // of the thread that makes most, by start
  };
  std::vector<OfProcess> processes;
};
// The likeliest first, few in number: those of one mark alone last, as it says where a profiler was
// stepped and not where steps are.
std::vector<StepMarks> find_step_marks(const Trace& trace);

}  // namespace deepprof
