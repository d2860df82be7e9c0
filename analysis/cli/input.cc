#include "analysis/cli/input.h"

#include "analysis/import/load.h"
#include "analysis/iterations/mine.h"

namespace deepprof {

void InputArgument::add_to(CLI::App& app) {
  app.add_option("FILE", path_, "a trace: .dprof, Kineto JSON (.gz, .zst), ...")->required();
}

absl::StatusOr<Trace> InputArgument::load(Console& console) const {
  LoadOptions options;
  options.progress = console.progress("reading " + path_);
  auto trace = load_trace(path_, options);
  console.end_progress();
  return trace;
}

absl::StatusOr<MinedTrace> load_and_mine(const InputArgument& input, Console& console) {
  auto trace = input.load(console);
  if (!trace.ok()) return trace.status();
  MinedTrace result{std::move(*trace), {}};
  result.mined = mine(result.trace);
  return result;
}

}  // namespace deepprof
