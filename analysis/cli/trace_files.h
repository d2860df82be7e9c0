// The files that FILE... of a command line means, for verbs that take those of several ranks.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace deepprof {

struct TraceFiles {
  std::vector<std::string> traces;
  // of folders: a sentence for each .dprof file that is no trace, and each that was not finished
  std::vector<std::string> left_out;
};

// A folder stands for the traces in it (told by content; not in folders below), by name. An error
// where a folder holds none, or a file is named twice.
absl::StatusOr<TraceFiles> trace_files(const std::vector<std::string>& paths);

}  // namespace deepprof
