// The ground truth files of the corpus: one row per GPU op.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace deepprof::test {

struct TrueOp {
  int64_t start_ns = 0, duration_ns = 0;
  uint32_t device = 0, stream = 0, correlation = 0;
  std::string kind, name;
  bool has_launch = false;
  int64_t launch_ns = 0;
};

absl::StatusOr<std::vector<TrueOp>> read_truth(const std::string& path);

// Folder of the corpus, or "" with a warning that says what is not checked.
std::string corpus_folder();
// The names that have a truth file and a trace with this suffix (".json.gz"), ascending.
std::vector<std::string> corpus_names(const std::string& folder, const std::string& suffix);

}  // namespace deepprof::test
