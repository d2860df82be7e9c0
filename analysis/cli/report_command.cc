// deepprof report FILE: the summary that the library prints at exit, from the file.
#include "analysis/cli/command.h"
#include "analysis/cli/filters.h"
#include "analysis/cli/input.h"
#include "analysis/report/summary.h"

namespace deepprof {
namespace {

class ReportCommand final : public Command {
 public:
  const char* name() const override { return "report"; }
  const char* about() const override { return "Print the summary: iterations, where the time went, why the GPU idled"; }
  const char* examples() const override {
    return "  deepprof report deepprof.gpu-07.41873.dprof\n"
           "  deepprof report trace.json.gz --device 0 --batch 64";
  }
  void add_options(CLI::App& app) override {
    input_.add_to(app);
    app.add_option("--batch", batch_, "items per iteration: adds items/s")->option_text("N");
    app.add_option("--categories", categories_, "file of rules for kernel categories")->option_text("PATH");
    filters_.add_to(app);
  }
  absl::StatusOr<ExitCode> run(Console& console) override {
    auto input = load_and_mine(input_, console);
    if (!input.ok()) return input.status();
    if (absl::Status resolved = filters_.resolve(input->trace); !resolved.ok()) return resolved;
    filters_.keep_selected(input->trace, input->mined);
    SummaryOptions options;
    options.color = console.color();
    options.batch = batch_;
    options.categories_path = categories_;
    console.print(summary_text(input->trace, input->mined, options));
    return input->trace.ops.empty() ? ExitCode::inconclusive : ExitCode::ok;
  }

 private:
  InputArgument input_;
  Filters filters_;
  double batch_ = 0;
  std::string categories_;
};

}  // namespace

std::unique_ptr<Command> make_report_command() { return std::make_unique<ReportCommand>(); }

}  // namespace deepprof
