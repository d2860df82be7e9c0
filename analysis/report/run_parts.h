// The parts of a run that get a row each in the tables of what was sampled.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/report/figures.h"

namespace deepprof {

struct RunPart {
  static constexpr const char* kRun = "run";

  std::string name;
  int64_t iterations;  // -1: does not apply
  Window window;
};

// "run", then "training 0" and so on, cut to `run`; or the iterations that a filter names, those
// that follow one another in one part. `device` null: the job runs nothing on it.
std::vector<RunPart> parts_of_run(const DeviceFigures* device, Window run);

}  // namespace deepprof
