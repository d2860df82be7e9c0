#include "analysis/cli/input.h"

#include "analysis/import/load.h"
#include "analysis/online/find_iterations.h"

namespace deepprof {

void InputArgument::add_to(CLI::App& app) {
  app.add_option("FILE", path_, "a trace: .dprof, Kineto JSON (.gz, .zst), ...")->required();
}

absl::StatusOr<Trace> load_with_progress(const std::string& path, Console& console) {
  LoadOptions options;
  options.progress = console.progress("reading " + path);
  auto trace = load_trace(path, options);
  console.end_progress();
  return trace;
}

absl::StatusOr<MinedTrace> load_and_mine(const std::string& path, Console& console) {
  auto trace = load_with_progress(path, console);
  if (!trace.ok()) return trace.status();
  MinedTrace result{std::move(*trace), {}};
  result.mined = find_iterations(result.trace);
  return result;
}

}  // namespace deepprof
