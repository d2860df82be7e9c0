// deepprof timeline FILE: one iteration as a drawing of text, or its intervals as a table.
#include "analysis/cli/command.h"
#include "analysis/cli/figures_input.h"
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
           "  deepprof timeline trace.json.gz --format csv > intervals.csv";
  }
  void add_options(CLI::App& app) override {
    app.add_option("--width", width_, "columns of the drawing (default: the terminal's, else 100)")
        ->check(CLI::Range(40, 2000).description(""))
        ->option_text("N");
    input_.add_to(app);
  }
  absl::StatusOr<ExitCode> run(Console& console) override {
    auto loaded = input_.load(console, false);
    if (!loaded.ok()) return loaded.status();
    const FiguredTrace& of = **loaded;
    if (of.figures.devices.empty()) {
      console.say("deepprof timeline: no GPU ops in this trace");
      return ExitCode::inconclusive;
    }
    const DeviceFigures& device = of.figures.main();
    uint32_t iteration = kNone;  // without iterations: the whole run
    if (device.has_iterations()) {
      const auto count = static_cast<int64_t>(device.iterations.size());
      const int64_t wanted = input_.filters().first_iteration().value_or(find_slow(device).typical);
      if (wanted >= count)
        return bad_input("iteration ", wanted, ": the trace has iterations 0 to ", count - 1);
      iteration = static_cast<uint32_t>(wanted);
    } else if (input_.filters().first_iteration()) {
      return bad_input("--iter: no iteration structure found in this trace");
    }
    if (input_.output().format() != Format::text) {
      Table table = timeline_table(of.trace, of.figures, device, iteration, input_.names());
      if (absl::Status printed = input_.output().print({std::move(table)}, console); !printed.ok())
        return printed;
      return ExitCode::ok;
    }
    const int width = width_ > 0 ? width_ : console.width() > 0 ? console.width() : 100;
    console.print(timeline_text(of.trace, of.figures, device, iteration, width));
    return ExitCode::ok;
  }

 private:
  FiguresInput input_;
  int width_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_timeline_command() { return std::make_unique<TimelineCommand>(); }

}  // namespace deepprof
