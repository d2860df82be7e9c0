// deepprof kernels FILE: a row for each kernel.
#include <algorithm>

#include "analysis/categories/pattern_set.h"
#include "analysis/cli/command.h"
#include "analysis/cli/figures_input.h"
#include "analysis/cli/words.h"
#include "analysis/import/message.h"
#include "analysis/report/counted_text.h"

namespace deepprof {
namespace {

class KernelsCommand final : public Command {
 public:
  const char* name() const override { return "kernels"; }
  const char* about() const override {
    return "List kernels by time (per iteration where iterations were found)";
  }
  const char* examples() const override {
    return "  deepprof kernels train.dprof -n 20\n"
           "  deepprof kernels trace.json.gz --category gemm -s mean\n"
           "  deepprof kernels trace.json.gz --name 'flash|attn' --format csv";
  }
  void add_options(CLI::App& app) override {
    input_.add_to(app, 20);
    input_.add_whole_run_to(app);
    app.add_option("--category", category_, "only kernels of this category")
        ->option_text("NAME")
        ->group("Filters");
    app.add_option("--name", pattern_,
                   "only kernels whose name holds this pattern (| . * + ? [] () ^ $)")
        ->option_text("RE")
        ->group("Filters");
  }
  absl::StatusOr<ExitCode> run(Console& console) override {
    PatternSet wanted;
    if (const Status added = wanted.add(pattern_); !added.ok())
      return bad_input("--name: ", added.error());
    auto loaded = input_.load(console);
    if (!loaded.ok()) return loaded.status();
    const Figures& figures = (*loaded)->figures;
    if (!category_.empty() &&
        std::find(figures.category_names.begin(), figures.category_names.end(), category_) ==
            figures.category_names.end()) {
      return bad_input(unknown_word("--category: no category", category_, figures.category_names));
    }
    // The pattern is searched in the whole name, also where a short one is shown. A name costs more
    // to shorten, and to tell from the others, than its kernel to count.
    const size_t most = input_.output().first_rows();
    size_t matching = 0;
    const auto is_meant = [&](const KernelFigures& kernel) {
      return (category_.empty() || figures.category_names[kernel.category] == category_) &&
             wanted.first_match((*loaded)->trace.names[kernel.name]) != PatternSet::kNoMatch;
    };
    Table table =
        kernels_table((*loaded)->trace, figures, input_.names(), [&](const KernelFigures& kernel) {
          return is_meant(kernel) && (++matching <= most || most == 0);
        });
    add_counted_notes(figures, table);
    if (most > 0 && matching > most) table.notes.push_back(input_.output().cut_note(matching));
    const bool all = category_.empty() && pattern_.empty();
    return input_.print(
        std::move(table), console,
        why_empty(**loaded, all ? "no kernel ran" : "no kernel matches --name or --category"));
  }

 private:
  FiguresInput input_;
  std::string category_, pattern_;
};

}  // namespace

std::unique_ptr<Command> make_kernels_command() { return std::make_unique<KernelsCommand>(); }

}  // namespace deepprof
