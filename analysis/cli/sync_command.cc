// deepprof sync FILE: synchronize, synchronous copies, allocation, module loads.
#include "analysis/cli/command.h"
#include "analysis/cli/figures_input.h"

namespace deepprof {
namespace {

class SyncCommand final : public Command {
 public:
  const char* name() const override { return "sync"; }
  const char* about() const override {
    return "List blocking calls: host time in them, and how much of it the GPU idled";
  }
  const char* examples() const override {
    return "  deepprof sync train.dprof\n"
           "  deepprof sync trace.json.gz -s gpu_idle -n 5";
  }
  void add_options(CLI::App& app) override { input_.add_to(app); }
  absl::StatusOr<ExitCode> run(Console& console) override {
    auto loaded = input_.load(console);
    if (!loaded.ok()) return loaded.status();
    return input_.print(
        sync_table((*loaded)->trace, (*loaded)->figures), console,
        why_empty(**loaded, (*loaded)->trace.calls.empty()
                                ? "no API calls are in this trace"
                                : "no call that blocks (synchronize, synchronous copy, allocation) "
                                  "was recorded"));
  }

 private:
  FiguresInput input_;
};

}  // namespace

std::unique_ptr<Command> make_sync_command() { return std::make_unique<SyncCommand>(); }

}  // namespace deepprof
