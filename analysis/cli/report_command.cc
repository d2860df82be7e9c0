// deepprof report FILE: the summary that the library prints at exit, from the file.
#include <algorithm>

#include "analysis/cli/command.h"
#include "analysis/cli/figures_input.h"
#include "analysis/cli/value_checks.h"
#include "analysis/report/report_tables.h"
#include "analysis/report/summary.h"

namespace deepprof {
namespace {

class ReportCommand final : public Command {
 public:
  const char* name() const override { return "report"; }
  const char* about() const override {
    return "Print the summary: iterations, where the time went, why the GPU idled";
  }
  const char* examples() const override {
    return "  deepprof report deepprof.gpu-07.41873.dprof\n"
           "  deepprof report trace.json.gz --device 0 --batch 64\n"
           "  deepprof report train.dprof --format json > report.json      (the tables behind the "
           "page)";
  }
  void add_options(CLI::App& app) override {
    input_.add_to(app);
    app.add_option("--batch", batch_, "items per iteration: adds items/s")
        ->check(positive_number())
        ->option_text("N");
  }
  absl::StatusOr<ExitCode> run(Console& console) override {
    auto loaded = input_.load(console);
    if (!loaded.ok()) return loaded.status();
    const FiguredTrace& of = **loaded;
    absl::Status printed = input_.output().format() == Format::text
                               ? input_.output().write(page_of(of, console), console)
                               : input_.output().print(report_tables(of.trace, of.figures), console);
    if (!printed.ok()) return printed;
    return of.figures.devices.empty() ? ExitCode::inconclusive : ExitCode::ok;
  }

 private:
  std::string page_of(const FiguredTrace& of, Console& console) const {
    SummaryOptions options;
    if (console.width() > 0) options.width = std::min(options.width, console.width());
    options.color = console.color();
    options.batch = batch_;
    return summary_text(of.trace, of.figures, options);
  }

  FiguresInput input_;
  double batch_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_report_command() { return std::make_unique<ReportCommand>(); }

}  // namespace deepprof
