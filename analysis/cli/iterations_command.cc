// deepprof iterations FILE: one row per iteration that the miner found.
#include <algorithm>
#include <span>

#include "analysis/cli/command.h"
#include "analysis/cli/figures_input.h"
#include "analysis/cli/value_checks.h"
#include "analysis/import/message.h"
#include "analysis/iterations/nested.h"
#include "analysis/report/device_sections.h"
#include "analysis/report/step_times.h"
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
                 " of GPU time, confidence ", confidence_word(mined.confidence));
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
    const FiguredTrace& of = **loaded;
    const IterationRows rows(of.figures, input_.names(), only_slow_);
    UseColumns use(of.trace, batch_of(of.trace, batch_), input_.names());
    const absl::Status printed = input_.output().takes_parts()
                                     ? print_parts(of, rows, use, console)
                                     : print_whole(of, rows, use, console);
    if (!printed.ok()) return printed;
    return found_any(of.mined) ? ExitCode::ok : ExitCode::inconclusive;
  }

 private:
  static bool found_any(const Mined& mined) {
    return std::any_of(mined.devices.begin(), mined.devices.end(),
                       [](const DeviceMined& device) { return device.verdict != Verdict::none; });
  }

  // Rows of which some may be filtered out.
  Table table_of(const IterationRows& source, std::span<const IterationOfRow> rows,
                 UseColumns& use) const {
    Table table = source.table(rows);
    use.add(rows, table);
    input_.filters().keep_rows(table);
    return table;
  }

  // What is said under the rows, of which there were so many.
  std::vector<std::string> notes_under(const FiguredTrace& of, size_t rows) const {
    std::vector<std::string> notes;
    for (const DeviceMined& device : of.mined.devices) notes.push_back(note_of(device));
    if (of.mined.devices.empty())
      notes.push_back(is_host_run(of.trace) ? "no GPU was recorded, and no step was told of: " +
                                                  no_steps_words(of.trace)
                                            : "no GPU ops in this trace");
    if (only_slow_ && rows == 0 && found_any(of.mined))
      notes.insert(notes.begin(),
                   "no slow iteration: none is over 10 % above the median and far out "
                   "(deepprof explain slow)");
    return notes;
  }

  absl::Status print_whole(const FiguredTrace& of, const IterationRows& source, UseColumns& use,
                           Console& console) const {
    Table table = table_of(source, source.all(), use);
    table.notes = notes_under(of, table.rows.size());
    const bool told =
        of.mined.devices.empty() || (only_slow_ && table.rows.empty() && found_any(of.mined));
    if (told && input_.output().for_people()) table.columns.clear();
    std::vector<Table> tables;  // a braced list would copy what may be a million rows
    tables.push_back(std::move(table));
    return input_.output().print(std::move(tables), console);
  }

  // The cells of a million iterations would take gigabytes.
  absl::Status print_parts(const FiguredTrace& of, const IterationRows& source, UseColumns& use,
                           Console& console) const {
    constexpr size_t kAtOnce = 4096;
    std::span<const IterationOfRow> rest = source.all();
    size_t printed = 0;
    const auto next = [&](Table& table) {
      if (rest.empty()) {
        table.notes = notes_under(of, printed);
        return false;
      }
      const size_t count = std::min(kAtOnce, rest.size());
      table.rows = table_of(source, rest.first(count), use).rows;
      rest = rest.subspan(count);
      printed += table.rows.size();
      return true;
    };
    return input_.output().print_parts(table_of(source, {}, use), next, console);
  }

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
