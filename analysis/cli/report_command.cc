// deepprof report FILE...: the summary that the library prints at exit, from the file; with the
// files of several ranks, side by side and then that of one.
#include <algorithm>

#include "analysis/cli/command.h"
#include "analysis/cli/figures_input.h"
#include "analysis/cli/value_checks.h"
#include "analysis/import/message.h"
#include "analysis/report/device_sections.h"
#include "analysis/report/page.h"
#include "analysis/report/report_tables.h"
#include "analysis/report/summary.h"
#include "analysis/report/summary_device.h"
#include "libdeepprof/text.h"

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
           "  deepprof report profiles/ --rank 3       (a folder or several files: ranks side by "
           "side)\n"
           "  deepprof report train.dprof --format json > report.json      (the tables behind the "
           "page)";
  }
  void add_options(CLI::App& app) override {
    input_.add_several_to(app);
    app.add_option("--batch", batch_, "items per iteration: adds items/s")
        ->check(positive_number())
        ->option_text("N");
  }
  absl::StatusOr<ExitCode> run(Console& console) override {
    if (absl::Status page = input_.output().check_page("the report"); !page.ok()) return page;
    auto files = input_.files(console);
    if (!files.ok()) return files.status();
    if (files->size() > 1) return report_ranks(*files, console);
    auto loaded = input_.load_one_of(files->front(), console);
    if (!loaded.ok()) return loaded.status();
    if (absl::Status rank = input_.filters().check_rank({(*loaded)->trace.process.rank});
        !rank.ok())
      return rank;
    return print({}, {}, **loaded, console);
  }

 private:
  absl::StatusOr<ExitCode> report_ranks(const std::vector<std::string>& files, Console& console) {
    auto ranks = input_.load_ranks(files, console);
    if (!ranks.ok()) return ranks.status();
    if (ranks->figures.empty()) {
      console.say("deepprof report: none of these files holds a GPU op");
      return ExitCode::inconclusive;
    }
    const size_t chosen = chosen_rank(*ranks);
    auto loaded = input_.load_one_of(ranks->figures[chosen].file, console);
    if (!loaded.ok()) return loaded.status();
    Page page(width(console), input_.output().color(console));
    page.line(format_text("deepprof  %zu files", ranks->files) +
              (ranks->doubt.empty() ? " of a job" : ""));
    if (ranks->doubt.empty()) ranks_part(*ranks, page);
    else page.paragraph("  note       ", ranks->doubt + ": they are not set against each other.");
    for (const Finding& finding : rank_findings(*ranks))
      page.paragraph("  uneven     ", finding.sentence + " " + finding.next_step);
    page.line("");
    page.paragraph("", "The page below is of " + ranks->figures[chosen].label + " (" +
                           ranks->figures[chosen].file + "); --rank N chooses another.");
    page.line("");
    std::vector<Table> tables{ranks_table(*ranks)};
    const Names names = names_for(input_.output().format());
    if (Table uneven = rank_findings_table(*ranks, names);
        !uneven.rows.empty() || names == Names::raw)
      tables.push_back(std::move(uneven));
    return print(page.take(), std::move(tables), **loaded, console);
  }

  size_t chosen_rank(const Ranks& ranks) const {
    const auto wanted = input_.filters().rank();
    for (size_t i = 0; wanted && i < ranks.figures.size(); ++i) {
      if (ranks.figures[i].rank == *wanted) return i;
    }
    return ranks.straggler == kNotThere ? 0 : ranks.straggler;
  }

  // `head`, `tables`: what comes before the page, or the tables behind it.
  absl::StatusOr<ExitCode> print(const std::string& head, std::vector<Table> tables,
                                 const FiguredTrace& of, Console& console) const {
    const OutputOptions& output = input_.output();
    absl::Status printed;
    if (output.format() == Format::text) {
      printed = output.write(head + page_of(of, console), console);
    } else {
      for (Table& table : report_tables(of.trace, of.figures, batch_of(of.trace, batch_),
                                        names_for(output.format())))
        tables.push_back(std::move(table));
      printed = output.print(std::move(tables), console);
    }
    if (!printed.ok()) return printed;
    const bool answered = !of.figures.devices.empty() || is_host_run(of.trace);
    return answered ? ExitCode::ok : ExitCode::inconclusive;
  }

  std::string page_of(const FiguredTrace& of, Console& console) const {
    SummaryOptions options;
    options.width = static_cast<int>(width(console));
    options.color = input_.output().color(console);
    options.batch = batch_of(of.trace, batch_);
    return summary_text(of.trace, of.figures, options);
  }
  static size_t width(Console& console) {
    const int columns = console.width() > 0 ? std::min(SummaryOptions{}.width, console.width())
                                            : SummaryOptions{}.width;
    return static_cast<size_t>(columns);
  }

  FiguresInput input_;
  double batch_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_report_command() { return std::make_unique<ReportCommand>(); }

}  // namespace deepprof
