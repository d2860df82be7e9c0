// deepprof export FILE --to FORMAT: a trace, or a part of it, in another tool's format.
#include <optional>

#include "analysis/cli/command.h"
#include "analysis/cli/filters.h"
#include "analysis/cli/input.h"
#include "analysis/cli/value_checks.h"
#include "analysis/cli/words.h"
#include "analysis/export/exporter.h"
#include "analysis/import/message.h"
#include "analysis/report/sections.h"

namespace deepprof {
namespace {

const Exporter* find_exporter(const std::string& name) {
  for (const auto& exporter : exporters()) {
    if (name == exporter->name()) return exporter.get();
  }
  return nullptr;
}

// By the name of the file: "three.csv", "three.csv.gz".
const Exporter* exporter_of_file(std::string_view path) {
  if (is_gzip_name(path)) path.remove_suffix(3);
  for (const auto& exporter : exporters()) {
    if (path.ends_with(exporter->suffix())) return exporter.get();
  }
  return nullptr;
}

std::vector<std::string> exporter_names() {
  std::vector<std::string> names;
  for (const auto& exporter : exporters()) names.emplace_back(exporter->name());
  return names;
}

class ExportCommand final : public Command {
 public:
  const char* name() const override { return "export"; }
  const char* about() const override {
    return "Write a trace, or some iterations of it, in another format";
  }
  const char* examples() const override {
    return "  deepprof export train.dprof --to csv > ops.csv\n"
           "  deepprof export train.dprof -o train.pftrace               (for ui.perfetto.dev)\n"
           "  deepprof export trace.json.gz --iter 10-12 -o three.csv.gz";
  }
  void add_options(CLI::App& app) override {
    input_.add_to(app);
    std::string about = "the format (default: what the ending of the output file says):";
    for (const auto& exporter : exporters())
      about += concat("\n", exporter->name(), " (", exporter->suffix(), "): ", exporter->about());
    app.add_option("--to", to_, about)->option_text("FORMAT");
    app.add_option("-o,--output", output_,
                   "the file to create, compressed where it ends in .gz; - is stdout (the default)")
        ->check(new_file())
        ->option_text("PATH");
    filters_.add_to(app);
  }
  absl::StatusOr<ExitCode> run(Console& console) override {
    const Exporter* exporter = to_.empty() ? exporter_of_file(output_) : find_exporter(to_);
    if (exporter == nullptr && to_.empty())
      return bad_input(
          "--to is required where the output file's ending names no format (see "
          "deepprof export --help)");
    if (exporter == nullptr)
      return bad_input(unknown_word("--to: no format", to_, exporter_names()));
    auto input = load(*exporter, console);
    if (!input.ok()) return input.status();
    const bool had_ops = !input->trace.ops.empty();
    if (absl::Status resolved = filters_.resolve(input->trace, input->mined); !resolved.ok())
      return resolved;
    if (absl::Status rank = filters_.check_rank({input->trace.process.rank}); !rank.ok())
      return rank;
    std::optional<Table> iterations;
    if (exporter->takes_iterations_table())
      iterations = IterationRows(compute_figures(input->trace, input->mined), Names::raw).table();
    filters_.keep_selected(input->trace, input->mined);
    Sink sink(output_);
    if (absl::Status written = exporter->write(
            {input->trace, input->mined, iterations ? &*iterations : nullptr}, sink);
        !written.ok())
      return written;
    if (absl::Status finished = sink.finish(); !finished.ok()) return finished;
    if (!input->trace.ops.empty()) return ExitCode::ok;
    return without_ops(*exporter, input->trace, had_ops, console);
  }

 private:
  // Mining takes time and memory that formats without iterations need not spend.
  absl::StatusOr<MinedTrace> load(const Exporter& exporter, Console& console) const {
    if (exporter.writes_iterations() || filters_.by_iteration())
      return load_and_mine(input_.path(), console);
    auto trace = input_.load(console);
    if (!trace.ok()) return trace.status();
    return MinedTrace{std::move(*trace), {}};
  }

  // What was written where there is no GPU op: `had_ops`: the filters took them.
  static ExitCode without_ops(const Exporter& exporter, const Trace& trace, bool had_ops,
                              Console& console) {
    if (had_ops) {
      console.say("deepprof export: nothing selected: the file holds no GPU op");
      return ExitCode::inconclusive;
    }
    const bool has_host = !trace.calls.empty() || !trace.ranges.empty() || !trace.samples.empty() ||
                          !trace.allocations.empty();
    if (exporter.writes_host() && has_host) {
      console.say(
          "deepprof export: the trace has no GPU op; written are its calls, ranges, samples and "
          "allocations");
      return ExitCode::ok;
    }
    console.say(
        concat("deepprof export: the trace has no GPU op",
               has_host ? "; its calls, ranges, samples and allocations: --to jsonl or --to sqlite"
                        : ", and nothing of the host"));
    return ExitCode::inconclusive;
  }

  InputArgument input_;
  Filters filters_;
  std::string to_, output_ = "-";
};

}  // namespace

std::unique_ptr<Command> make_export_command() { return std::make_unique<ExportCommand>(); }

}  // namespace deepprof
