// Steps of allocation as another recorder tells them, made into the accounts of the trace model:
// matched in order of time, with what was in use before the recording, and the totals.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/model/trace.h"

namespace deepprof {

class AllocationSteps {
 public:
  struct Step {
    Allocation step;  // what is in use need not be filled in
    // As the recorder tells it, after the step: bytes in use of this kind and device; what the
    // allocator or the pool behind it holds, in use or not, and which that is (from 1).
    std::optional<uint64_t> in_use_bytes, held_bytes;
    uint64_t holder = 0;
    uint32_t process = 0;    // its number: processes have addresses of their own
    bool only_held = false;  // nothing is allocated or released: the holder changes its size
  };
  void add(const Step& step) { steps_.push_back(step); }

  // When the recorder began, as far as nothing tells what was in use then.
  enum class From { process_start, some_time_on };
  // Once: puts steps and totals into the trace, what is told as held as of the kind `held`, and
  // names in a fact the kinds of which what was in use at the start is not known.
  void finish(AllocationKind held, From from, Trace& trace);

 private:
  std::vector<Step> steps_;
};

}  // namespace deepprof
