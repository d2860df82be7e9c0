// What a person should do about it: verdicts in XProf's words and bands (docs/metrics.md), each with its
// evidence, its share of the iteration, the most that removing it can give, and a next step. Ceilings do
// not add up: what is removed in one place may be waited for in another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/model/trace.h"
#include "analysis/report/figures.h"

namespace deepprof {

struct Finding {
  std::string key;          // stable: "input_bound", "pageable_copies"
  std::string sentence;     // what was found, with its number
  std::string next_step;    // what to do, one sentence; may be empty
  double share = 0;         // of the iteration (of the run where there are none); orders the list
  int64_t ceiling_ns = -1;  // an iteration takes at least this long without it; -1: not known
};

// Most important first. Empty: nothing passed its threshold. When the figures cannot be trusted
// (records were lost, hardly a steady iteration) the first finding says INCONCLUSIVE and why.
std::vector<Finding> find(const Trace& trace, const Figures& figures, const DeviceFigures& device);

// "", "MODERATELY", "HIGHLY" for a share against the two limits of its band.
const char* band(double share, double moderate, double high);

}  // namespace deepprof
