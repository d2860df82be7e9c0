// deepprof memory FILE: what the job allocated, by device and kind; by iteration; the largest
// pieces; or the steps themselves.
#include <absl/status/status.h>

#include "analysis/cli/command.h"
#include "analysis/cli/figures_input.h"
#include "analysis/import/message.h"
#include "analysis/model/facts.h"
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
    const Filters& filters = input_.filters();
    auto loaded = input_.load(console);
    if (!loaded.ok()) return loaded.status();
    if (filters.by_stream()) return bad_input("--stream: memory is of a device, not of a stream");
    if (largest_ && (filters.by_time() || filters.by_iteration()))
      return bad_input(
          "--largest is of the peak of the whole run: not with --iter, --section, --from or --to");
    const FiguredTrace& of = **loaded;
    if (filters.by_iteration() && of.figures.devices.empty())
      return bad_input("--iter, --section: no iteration structure found in this trace");
    return input_.print(table_of(of), console,
                        of.figures.memory.empty() ? why_nothing(of.trace) : "");
  }

 private:
  static std::string why_nothing(const Trace& trace) {
    const std::string none = "no allocation is in this trace";
    if (const std::string* refused = find_fact(trace, "refused.allocation"))
      return none + ": CUPTI refused to record them (" + *refused + ")";
    if (fact_or_empty(trace, kMemoryRecords) != "on")
      return none +
             ": record with DEEPPROF_MEMORY=1 (off by default); torch.profiler: "
             "profile_memory=True; nsys: --cuda-memory-usage=true";
    if (const std::string* part = find_fact(trace, "recorded_part"))
      return none +
             ", though DEEPPROF_MEMORY=1 was set: none came in the part that was recorded (" +
             *part + ")";
    return none + ", though DEEPPROF_MEMORY=1 was set: CUPTI told of none";
  }

  Table table_of(const FiguredTrace& of) const {
    if (series_) return memory_series_table(of.trace, of.figures, input_.names());
    if (iterations_) return memory_iterations_table(of.trace, of.figures);
    if (largest_) return memory_largest_table(of.trace, of.figures, input_.names());
    return memory_table(of.trace, of.figures, input_.names());
  }

  FiguresInput input_;
  bool iterations_ = false, largest_ = false, series_ = false;
};

}  // namespace

std::unique_ptr<Command> make_memory_command() { return std::make_unique<MemoryCommand>(); }

}  // namespace deepprof
