// deepprof iterations FILE: one row per iteration that the miner found.
#include "analysis/cli/command.h"
#include "analysis/cli/figures_input.h"
#include "analysis/cli/value_checks.h"
#include "analysis/import/message.h"
#include "analysis/iterations/nested.h"
#include "analysis/report/device_sections.h"
#include "analysis/report/summary_device.h"
#include "analysis/report/units.h"

namespace deepprof {
namespace {

// What the text says under the rows of a device.
std::string note_of(const DeviceMined& mined) {
  std::string note = concat("device ", mined.device, ": ");
  if (mined.verdict == Verdict::none) {
    return note + "no iteration structure found" +
           (mined.reason.empty() ? "" : ": " + mined.reason);
  }
  note += concat(mined.iterations.size(), " x ", scaled_text(mined.ops_per_iteration, Unit::count),
                 " ops (", verdict_name(mined.verdict), "), covers ", percent_text(mined.coverage),
                 " of GPU time, confidence ",
                 exact_text(static_cast<int>(100 * mined.confidence) / 100.0));
  if (!mined.nested.empty()) note += ", each holds " + nested_words(mined.nested);
  if (mined.cycle > 0) note += concat(", contents return every ", mined.cycle, " iterations");
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
           "  deepprof iterations trace.json.gz --section training -s duration -n 5\n"
           "  deepprof iterations train.dprof --slow";
  }
  void add_options(CLI::App& app) override {
    app.add_flag("--slow", only_slow_,
                 "only the slow ones: over 10 % above the median and far out (robust z)")
        ->group("Filters");
    app.add_option("--batch", batch_,
                   "items per iteration: adds energy per item where it was sampled")
        ->check(positive_number())
        ->option_text("N");
    input_.add_to(app);
  }
  absl::StatusOr<ExitCode> run(Console& console) override {
    auto loaded = input_.load(console, false);
    if (!loaded.ok()) return loaded.status();
    if ((*loaded)->mined.devices.empty()) {
      if (Table steps = steps_table((*loaded)->trace); !steps.rows.empty())
        return print_steps(std::move(steps), console);
    }
    std::vector<IterationOfRow> rows;
    Table table = iterations_table((*loaded)->figures, input_.names(), only_slow_, &rows);
    add_use_columns((*loaded)->trace, rows, batch_of((*loaded)->trace, batch_), input_.names(),
                    table);
    bool found = false;
    for (const DeviceMined& device : (*loaded)->mined.devices) {
      table.notes.push_back(note_of(device));
      found = found || device.verdict != Verdict::none;
    }
    if ((*loaded)->mined.devices.empty()) {
      if (input_.output().for_people()) table.columns.clear();
      table.notes.push_back(is_host_run((*loaded)->trace)
                                ? "no GPU was recorded, and no step was told of (PyTorch: deepprof "
                                  "run --cpu --steps)"
                                : "no GPU ops in this trace");
    }
    input_.filters().keep_rows(table);
    if (only_slow_ && found && table.rows.empty()) {
      if (input_.output().for_people()) table.columns.clear();
      table.notes.insert(table.notes.begin(),
                         "no slow iteration: none is over 10 % above the median and far out "
                         "(deepprof explain slow)");
    }
    if (absl::Status printed = input_.output().print({std::move(table)}, console); !printed.ok())
      return printed;
    return found ? ExitCode::ok : ExitCode::inconclusive;
  }

 private:
  // The iterations of a run without a GPU are those that its framework told of.
  absl::StatusOr<ExitCode> print_steps(Table steps, Console& console) const {
    if (only_slow_)
      return bad_input(
          "--slow tells iterations on a GPU apart: nothing ran on one; -s duration_ns sorts the "
          "optimizer's steps");
    steps.notes.emplace_back(
        "nothing ran on a GPU: from the end of one optimizer step to the end of the next, as the "
        "framework told");
    return input_.print(std::move(steps), console);
  }

  FiguresInput input_;
  bool only_slow_ = false;
  double batch_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_iterations_command() { return std::make_unique<IterationsCommand>(); }

}  // namespace deepprof
