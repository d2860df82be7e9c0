// deepprof timeline FILE: one iteration as a drawing of text, or its intervals as a table.
#include "analysis/cli/command.h"
#include "analysis/cli/figures_input.h"
#include "analysis/cli/value_checks.h"
#include "analysis/import/message.h"

namespace deepprof {
namespace {

class TimelineCommand final : public Command {
 public:
  const char* name() const override { return "timeline"; }
  const char* about() const override {
    return "Draw one iteration as text: streams, gaps with causes, host calls";
  }
  const char* examples() const override {
    return "  deepprof timeline train.dprof --iter 212\n"
           "  deepprof timeline train.dprof --from 1.5s --to 1.6s\n"
           "  deepprof timeline trace.json.gz --format csv > intervals.csv";
  }
  void add_options(CLI::App& app) override {
    app.add_option("--width", width_, "columns of the drawing (default: the terminal's, else 100)")
        ->check(whole_number_between(40, 2000))
        ->option_text("N");
    input_.add_to(app);
  }
  absl::StatusOr<ExitCode> run(Console& console) override {
    if (absl::Status page = input_.output().check_page("the timeline"); !page.ok()) return page;
    auto loaded = input_.load(console, false);
    if (!loaded.ok()) return loaded.status();
    const FiguredTrace& of = **loaded;
    if (of.figures.devices.empty()) {
      console.say("deepprof timeline: " + why_empty(of, "no GPU op lies in what is asked for"));
      return ExitCode::inconclusive;
    }
    const DeviceFigures& device = of.figures.main();
    // Without iterations the whole run; a stretch where one was asked for.
    uint32_t iteration = kNone;
    const auto named = input_.filters().one_iteration();
    if (!named.ok()) return named.status();
    if (const std::optional<int64_t> wanted = *named) {
      const auto found = device.mined == nullptr ? std::nullopt : device.mined->find(*wanted);
      if (!found)
        return bad_input("iteration ", *wanted, ": GPU ", device.device, " does not have it");
      iteration = *found;
    } else if (!input_.filters().by_time() && device.has_iterations())
      iteration = find_slow(device).typical;
    if (input_.output().format() != Format::text) {
      Table table = timeline_table(of.trace, of.figures, device, iteration, input_.names());
      if (absl::Status printed = input_.output().print({std::move(table)}, console); !printed.ok())
        return printed;
      return ExitCode::ok;
    }
    const int width = width_ > 0 ? width_ : console.width() > 0 ? console.width() : 100;
    const absl::Status written = input_.output().write(
        timeline_text(of.trace, of.figures, device, iteration, width), console);
    if (!written.ok()) return written;
    return ExitCode::ok;
  }

 private:
  FiguresInput input_;
  int width_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_timeline_command() { return std::make_unique<TimelineCommand>(); }

}  // namespace deepprof
