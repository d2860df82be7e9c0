// deepprof device FILE: what GPUs and host used, by run, section and iteration; or the samples
// themselves.
#include "analysis/cli/command.h"
#include "analysis/cli/figures_input.h"
#include "analysis/cli/value_checks.h"
#include "analysis/cli/words.h"
#include "analysis/import/message.h"
#include "analysis/report/device_sections.h"
#include "analysis/report/step_times.h"
#include "analysis/report/time_origin.h"
#include "libdeepprof/event/metric.h"

namespace deepprof {
namespace {

class DeviceCommand final : public Command {
 public:
  const char* name() const override { return "device"; }
  const char* about() const override {
    return "Show energy, power, utilization, memory and CPU of the run and its parts";
  }
  const char* examples() const override {
    return "  deepprof device train.dprof --batch 64\n"
           "  deepprof device train.dprof --series --format csv > samples.csv\n"
           "  deepprof device train.dprof --series --metric gpu_power_mw --device 0";
  }
  void add_options(CLI::App& app) override {
    app.add_flag("--series", series_, "the samples themselves, one row each");
    app.add_flag("--steps", steps_,
                 "a row for each optimizer step that the job told of (run --steps)");
    app.add_option("--metric", metric_, "with --series: this metric alone")->option_text("NAME");
    app.add_option("--batch", batch_, "items per iteration: adds energy per item")
        ->check(positive_number())
        ->option_text("N");
    input_.add_to(app);
  }
  absl::StatusOr<ExitCode> run(Console& console) override {
    auto loaded = input_.load(console);
    if (!loaded.ok()) return loaded.status();
    const FiguredTrace& of = **loaded;
    if (series_) {
      if (absl::Status known = check_metric(of.trace); !known.ok()) return known;
      Table table = samples_table(of.trace);
      std::erase_if(table.rows, [this](const std::vector<Cell>& row) {
        return !metric_.empty() && std::get<std::string>(row[2]) != metric_;
      });
      if (input_.output().for_people()) since_origin(of.trace, table);
      return input_.print(std::move(table), console,
                          "nothing of the kind was sampled beside this trace");
    }
    if (steps_)
      return input_.print(steps_table(of.trace), console,
                          "no optimizer step was told of: " + no_steps_words(of.trace));
    Table gpus = gpu_use_table(of.trace, of.figures, batch_of(of.trace, batch_), input_.names());
    Table host = host_use_table(of.trace, of.figures, input_.names());
    input_.filters().keep_rows(gpus);
    const bool empty = gpus.rows.empty() && host.rows.empty();
    host.notes = use_notes(of.trace, of.figures);
    if (of.trace.samples.empty()) host.notes.emplace_back("nothing was sampled in this trace");
    if (empty && input_.output().for_people()) host.title.clear(), host.columns.clear();
    std::vector<Table> tables;
    if (!gpus.rows.empty() || !input_.output().for_people()) tables.push_back(std::move(gpus));
    tables.push_back(std::move(host));
    if (absl::Status printed = input_.output().print(std::move(tables), console); !printed.ok())
      return printed;
    return empty ? ExitCode::inconclusive : ExitCode::ok;
  }

 private:
  // People read times from the trace's TimeOrigin on; programs instants of the trace's clock.
  static void since_origin(const Trace& trace, Table& table) {
    if (table.rows.empty()) return;
    const TimeOrigin origin = time_origin(trace);
    table.columns[0] = {"at_ns", Unit::nanoseconds, "at"};
    for (auto& row : table.rows) row[0] = std::get<int64_t>(row[0]) - origin.time_ns;
    table.notes = {origin.words};
  }
  absl::Status check_metric(const Trace& trace) const {
    std::vector<std::string> known;
    for (const MetricInfo& info : metrics()) known.emplace_back(info.name);
    for (const Sample& sample : trace.samples) {
      // of a newer version, too
      if (metric_ == trace.names[sample.metric]) return absl::OkStatus();
    }
    if (metric_.empty() || find_metric(metric_) != nullptr) return absl::OkStatus();
    return bad_input(unknown_word("--metric: no metric", metric_, known));
  }

  FiguresInput input_;
  bool series_ = false, steps_ = false;
  std::string metric_;
  double batch_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_device_command() { return std::make_unique<DeviceCommand>(); }

}  // namespace deepprof
