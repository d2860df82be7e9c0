// deepprof report FILE: the summary that the library prints at exit, from the file.
#include "analysis/cli/command.h"
#include "analysis/cli/number_checks.h"
#include "analysis/cli/filters.h"
#include "analysis/cli/input.h"
#include "analysis/cli/output_options.h"
#include "analysis/import/message.h"
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
    app.add_option("--categories", categories_, "file of rules for kernel categories")
        ->option_text("PATH");
    filters_.add_to(app);
    output_.add_to(app);
  }
  absl::StatusOr<ExitCode> run(Console& console) override {
    auto input = load_and_mine(input_, console);
    if (!input.ok()) return input.status();
    if (absl::Status resolved = filters_.resolve(input->trace); !resolved.ok()) return resolved;
    SummaryOptions options;
    // Iterations are chosen by the figures: their idle time lies between ops of neighbours.
    if (filters_.by_op()) filters_.keep_selected(input->trace, input->mined);
    else if (filters_.by_iteration()) {
      options.counts = [this](const DeviceMined& mined, size_t index) {
        return filters_.keeps_iteration(mined, index);
      };
    }
    options.device = filters_.device();
    options.color = console.color();
    options.batch = batch_;
    options.categories_path = categories_;
    if (output_.format() == Format::text) {
      console.print(summary_text(input->trace, input->mined, options));
    } else if (absl::Status printed = print_tables(*input, options, console); !printed.ok()) {
      return printed;
    }
    return input->trace.ops.empty() ? ExitCode::inconclusive : ExitCode::ok;
  }

 private:
  absl::Status print_tables(const MinedTrace& input, const SummaryOptions& options,
                            Console& console) const {
    const Figures figures =
        compute_figures(input.trace, input.mined, {options.categories_path, options.counts});
    if (!figures.category_error.empty()) return bad_input(figures.category_error);
    std::vector<Table> tables = report_tables(input.trace, figures);
    for (Table& table : tables) filters_.keep_rows(table);
    return output_.print(std::move(tables), console);
  }

  InputArgument input_;
  Filters filters_;
  OutputOptions output_;
  double batch_ = 0;
  std::string categories_;
};

}  // namespace

std::unique_ptr<Command> make_report_command() { return std::make_unique<ReportCommand>(); }

}  // namespace deepprof
