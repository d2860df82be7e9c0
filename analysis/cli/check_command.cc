// deepprof check FILE: can the trace be trusted?
#include "analysis/cli/checks.h"
#include "analysis/cli/command.h"
#include "analysis/cli/input.h"
#include "analysis/cli/output_options.h"

namespace deepprof {
namespace {

class CheckCommand final : public Command {
 public:
  const char* name() const override { return "check"; }
  const char* about() const override {
    return "Check a trace for damage, losses and impossible times";
  }
  const char* examples() const override {
    return "  deepprof check deepprof.gpu-07.41873.dprof      # exit code 3 when a check fails\n"
           "  deepprof check trace.json.gz --format json";
  }
  void add_options(CLI::App& app) override {
    input_.add_to(app);
    output_.add_to(app);
  }
  absl::StatusOr<ExitCode> run(Console& console) override {
    auto trace = input_.load(console);
    if (!trace.ok()) return trace.status();
    std::vector<std::string> notes;  // the .dprof importer hands the reader's notes on as facts
    for (const auto& [key, value] : trace->process.facts) {
      if (key == "damage") notes.push_back(value);
    }
    const std::vector<Check> checks = check_trace(*trace, notes);
    if (absl::Status printed = output_.print({checks_table(checks)}, console); !printed.ok())
      return printed;
    return any_failed(checks) ? ExitCode::gate_failed : ExitCode::ok;
  }

 private:
  InputArgument input_;
  OutputOptions output_;
};

}  // namespace

std::unique_ptr<Command> make_check_command() { return std::make_unique<CheckCommand>(); }

}  // namespace deepprof
