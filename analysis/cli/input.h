// The trace a verb works on: the FILE argument, loading with progress, mining.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "absl/status/statusor.h"
#include "analysis/cli/console.h"
#include "analysis/iterations/mined.h"
#include "analysis/model/trace.h"

namespace deepprof {

absl::StatusOr<Trace> load_with_progress(const std::string& path, Console& console);

class InputArgument {
 public:
  void add_to(CLI::App& app);
  const std::string& path() const { return path_; }

  // Any readable trace, own or foreign.
  absl::StatusOr<Trace> load(Console& console) const { return load_with_progress(path_, console); }

 private:
  std::string path_;
};

struct MinedTrace {
  Trace trace;
  Mined mined;
};
absl::StatusOr<MinedTrace> load_and_mine(const std::string& path, Console& console);

}  // namespace deepprof
