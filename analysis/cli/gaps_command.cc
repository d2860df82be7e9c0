// deepprof gaps FILE: every stretch in which a GPU was idle, and why.
#include "analysis/cli/command.h"
#include "analysis/cli/duration_option.h"
#include "analysis/cli/figures_input.h"
#include "analysis/cli/value_checks.h"
#include "analysis/import/message.h"
#include "analysis/report/counted_text.h"

namespace deepprof {
namespace {

class GapsCommand final : public Command {
 public:
  const char* name() const override { return "gaps"; }
  const char* about() const override {
    return "List the gaps: when the GPU was idle, and why; longest first";
  }
  const char* examples() const override {
    return "  deepprof gaps train.dprof --min 100us\n"
           "  deepprof gaps trace.json.gz --cause host --iter 12\n"
           "  deepprof gaps trace.json.gz --by-cause\n"
           "  deepprof gaps trace.json.gz --rule hta --format csv";
  }
  void add_options(CLI::App& app) override {
    app.add_option("--min", min_, "only gaps at least so long: 100us, 1ms, ...")
        ->option_text("TIME")
        ->group("Filters");
    app.add_option("--cause", selection_.cause,
                   "only gaps of this cause: host (all host waits), host_outside, host_launch, "
                   "host_blocked, "
                   "dependency_wait, kernel_wait, graph_replay, overhead, unattributed")
        ->option_text("CAUSE")
        ->group("Filters");
    app.add_flag("--by-cause", by_cause_, "a row for each cause instead");
    app.add_option("--rule", rule_,
                   "deepprof, or hta: HolisticTraceAnalysis' classes, stream by stream")
        ->check(one_of({"deepprof", "hta"}))
        ->option_text("RULE");
    input_.add_to(app, 30);
    input_.add_whole_run_to(app);
    app.get_option("--whole-run")
        ->description(
            "with --by-cause: of everything that was recorded, not of the counted iterations "
            "alone");
  }
  absl::StatusOr<ExitCode> run(Console& console) override {
    if (!min_.empty()) {
      const auto least = duration_of("--min", min_);
      if (!least.ok()) return least.status();
      selection_.min_ns = *least;
    }
    if (!selection_.cause.empty() && !is_known_cause(selection_.cause)) {
      std::vector<std::string> known{"host"};
      for (size_t i = 0; i < kCauses; ++i)
        known.emplace_back(cause_info(static_cast<Cause>(i)).key);
      return bad_input(unknown_word("--cause: no cause", selection_.cause, known));
    }
    if (input_.whole_run() && (!by_cause_ || rule_ == "hta"))
      return bad_input(
          "--whole-run goes with --by-cause: the list of gaps is of the whole recording");
    auto loaded = input_.load(console);
    if (!loaded.ok()) return loaded.status();
    const FiguredTrace& of = **loaded;
    if (rule_ == "hta" && (input_.filters().by_time() || input_.filters().by_iteration()))
      return bad_input(
          "--rule hta: its rule is of whole streams; it takes no --iter, --section, --from or "
          "--to");
    if (rule_ == "hta")
      return input_.print(hta_table(of.trace), console,
                          why_empty(of, "no stream has two ops with a launch record"));
    if (by_cause_) {
      Table table = idle_table(of.trace, of.figures, input_.names());
      add_counted_notes(of.figures, table);
      return input_.print(std::move(table), console, why_empty(of, ""));
    }
    const bool all = selection_.min_ns == 0 && selection_.cause.empty();
    return input_.print(
        gaps_table(of.trace, of.figures, selection_, input_.names()), console,
        why_empty(of, all ? "the GPU was never idle in what is shown"
                          : "no gap is as long as --min says, or has this --cause"));
  }

 private:
  FiguresInput input_;
  GapSelection selection_;
  std::string min_, rule_ = "deepprof";
  bool by_cause_ = false;
};

}  // namespace

std::unique_ptr<Command> make_gaps_command() { return std::make_unique<GapsCommand>(); }

}  // namespace deepprof
