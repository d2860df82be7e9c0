// deepprof iterations FILE: one row per iteration that the miner found.
#include "analysis/cli/command.h"
#include "analysis/cli/filters.h"
#include "analysis/cli/input.h"
#include "analysis/cli/output_options.h"
#include "analysis/import/message.h"
#include "analysis/report/units.h"

namespace deepprof {
namespace {

Table empty_table() {
  Table table;
  table.name = "iterations";
  table.columns = {{"iteration", Unit::none, ""},
                   {"device", Unit::none, ""},
                   {"section", Unit::none, ""},
                   {"kind", Unit::none, ""},
                   {"start_ns", Unit::none, "start"},  // an instant in the trace's clock, not a length
                   {"end_ns", Unit::none, "end"},
                   {"duration_ns", Unit::nanoseconds, "duration"},
                   {"ops", Unit::count, ""},
                   {"first_correlation", Unit::none, "correlation"},
                   {"partial", Unit::none, ""}};
  return table;
}

void add_rows(const DeviceMined& mined, Table& table) {
  if (mined.verdict == Verdict::none) return;
  for (size_t i = 0; i < mined.iterations.size(); ++i) {
    const Iteration& iteration = mined.iterations[i];
    table.rows.push_back({static_cast<int64_t>(i),
                          int64_t{mined.device},
                          std::string(section_name(mined.sections[iteration.section].kind)),
                          std::string(verdict_name(mined.verdict)),
                          iteration.start_ns,
                          iteration.end_ns,
                          iteration.end_ns - iteration.start_ns,
                          int64_t{iteration.last} - int64_t{iteration.first},
                          int64_t{iteration.first_correlation},
                          std::string(iteration.partial ? "yes" : "no")});
  }
}

// What the text says under the rows of a device.
std::string note_of(const DeviceMined& mined) {
  std::string note = concat("device ", mined.device, ": ");
  if (mined.verdict == Verdict::none) {
    return note + "no iteration structure found" + (mined.reason.empty() ? "" : ": " + mined.reason);
  }
  note += concat(mined.iterations.size(), " x ", scaled_text(mined.ops_per_iteration, Unit::count), " ops (",
                 verdict_name(mined.verdict), "), covers ", percent_text(mined.coverage),
                 " of GPU time, confidence ", exact_text(static_cast<int>(100 * mined.confidence) / 100.0));
  if (!mined.decided_by.empty()) note += ", decided by " + mined.decided_by;
  if (!mined.second_opinion.empty()) note += "; second opinion: " + mined.second_opinion;
  return note;
}

class IterationsCommand final : public Command {
 public:
  const char* name() const override { return "iterations"; }
  const char* about() const override { return "List the iterations found in a trace"; }
  const char* examples() const override {
    return "  deepprof iterations train.dprof\n"
           "  deepprof iterations trace.json.gz --format csv > iterations.csv\n"
           "  deepprof iterations trace.json.gz --section training -s duration -n 5";
  }
  void add_options(CLI::App& app) override {
    input_.add_to(app);
    filters_.add_to(app);
    output_.add_to(app);
  }
  absl::StatusOr<ExitCode> run(Console& console) override {
    auto input = load_and_mine(input_, console);
    if (!input.ok()) return input.status();
    if (absl::Status resolved = filters_.resolve(input->trace); !resolved.ok()) return resolved;

    Table table = empty_table();
    bool found = false;
    for (const DeviceMined& device : input->mined.devices) {
      add_rows(device, table);
      table.notes.push_back(note_of(device));
      found = found || device.verdict != Verdict::none;
    }
    if (input->mined.devices.empty()) table.notes.push_back("no GPU ops in this trace");
    filters_.keep_rows(table);
    if (absl::Status printed = output_.print({std::move(table)}, console); !printed.ok()) return printed;
    return found ? ExitCode::ok : ExitCode::inconclusive;
  }

 private:
  InputArgument input_;
  Filters filters_;
  OutputOptions output_;
};

}  // namespace

std::unique_ptr<Command> make_iterations_command() { return std::make_unique<IterationsCommand>(); }

}  // namespace deepprof
