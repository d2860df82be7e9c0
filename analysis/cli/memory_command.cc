// deepprof memory FILE: what the job allocated, by device and kind; by iteration; the largest
// pieces; or the steps themselves.
#include <absl/status/status.h>

#include "analysis/cli/command.h"
#include "analysis/cli/figures_input.h"
#include "analysis/report/memory_sections.h"

namespace deepprof {
namespace {

class MemoryCommand final : public Command {
 public:
  const char* name() const override { return "memory"; }
  const char* about() const override {
    return "Show what was allocated: peaks, growth, the largest pieces (DEEPPROF_MEMORY=1, or "
           "profile_memory=True of torch.profiler)";
  }
  const char* examples() const override {
    return "  deepprof memory train.dprof\n"
           "  deepprof memory train.dprof --largest\n"
           "  deepprof memory train.dprof --iterations --format csv";
  }
  void add_options(CLI::App& app) override {
    auto* iterations = app.add_flag("--iterations", iterations_, "a row for each iteration");
    auto* largest =
        app.add_flag("--largest", largest_, "the largest pieces in use at each peak instead");
    app.add_flag("--series", series_, "each allocation and release, one row each")
        ->excludes(iterations)
        ->excludes(largest);
    largest->excludes(iterations);
    input_.add_to(app);
  }
  absl::StatusOr<ExitCode> run(Console& console) override {
    auto loaded = input_.load(console, false);
    if (!loaded.ok()) return loaded.status();
    const bool any = !(*loaded)->figures.memory.empty();
    return input_.print(
        table_of(**loaded), console,
        any ? ""
            : "no allocation is in this trace: record with DEEPPROF_MEMORY=1 (off by default); "
              "torch.profiler: profile_memory=True; nsys: --cuda-memory-usage=true");
  }

 private:
  Table table_of(const FiguredTrace& of) const {
    if (series_) return memory_series_table(of.trace);
    if (iterations_) return memory_iterations_table(of.figures);
    if (largest_) return memory_largest_table(of.trace, of.figures, input_.names());
    return memory_table(of.trace, of.figures, input_.names());
  }

  FiguresInput input_;
  bool iterations_ = false, largest_ = false, series_ = false;
};

}  // namespace

std::unique_ptr<Command> make_memory_command() { return std::make_unique<MemoryCommand>(); }

}  // namespace deepprof
