// Finds the trace that a running job writes: the .dprof file that the process, or one of its
// descendants, has open. Nothing is asked of the job.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace deepprof {

struct RunningTrace {
  int pid = 0;  // the process that writes it
  std::string path;
  // the name that the file had, if it has been removed: `path` is then the job's own descriptor
  std::string removed;
};

// Those of `pid` and of what it started (a launcher's workers), by process id. An error says what
// was looked for and what to do. `proc`: where /proc is mounted.
absl::StatusOr<std::vector<RunningTrace>> traces_of_process(int pid,
                                                            const std::string& proc = "/proc");

}  // namespace deepprof
