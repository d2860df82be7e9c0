// deepprof comm FILE: what communication costs beyond the compute beside it.
#include "analysis/cli/command.h"
#include "analysis/cli/figures_input.h"

namespace deepprof {
namespace {

class CommCommand final : public Command {
 public:
  const char* name() const override { return "comm"; }
  const char* about() const override {
    return "List communication kernels with the part that no compute hides";
  }
  const char* examples() const override {
    return "  deepprof comm train.dprof\n"
           "  deepprof comm trace.json.gz -s exposed --format csv";
  }
  void add_options(CLI::App& app) override { input_.add_to(app); }
  absl::StatusOr<ExitCode> run(Console& console) override {
    auto loaded = input_.load(console);
    if (!loaded.ok()) return loaded.status();
    return input_.print(communication_table((*loaded)->trace, (*loaded)->figures, input_.names()),
                        console);
  }

 private:
  FiguresInput input_;
};

}  // namespace

std::unique_ptr<Command> make_comm_command() { return std::make_unique<CommCommand>(); }

}  // namespace deepprof
