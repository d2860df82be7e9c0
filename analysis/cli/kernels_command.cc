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

size_t column_named(const Table& table, const char* name) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const Column& c) { return c.name == name; });
  return static_cast<size_t>(found - table.columns.begin());
}

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
    // The pattern is searched in the whole name, also where a short one is shown.
    Table table = kernels_table((*loaded)->trace, figures, input_.names());
    const Table whole = kernels_table((*loaded)->trace, figures, Names::raw);
    const size_t name = column_named(table, "name"), category = column_named(table, "category");
    std::vector<std::vector<Cell>> kept;
    for (size_t i = 0; i < table.rows.size(); ++i) {
      if (!category_.empty() && std::get<std::string>(table.rows[i][category]) != category_)
        continue;
      if (wanted.first_match(std::get<std::string>(whole.rows[i][name])) == PatternSet::kNoMatch)
        continue;
      kept.push_back(std::move(table.rows[i]));
    }
    table.rows = std::move(kept);
    table.notes = counted_notes(figures);
    return input_.print(std::move(table), console);
  }

 private:
  FiguresInput input_;
  std::string category_, pattern_;
};

}  // namespace

std::unique_ptr<Command> make_kernels_command() { return std::make_unique<KernelsCommand>(); }

}  // namespace deepprof
