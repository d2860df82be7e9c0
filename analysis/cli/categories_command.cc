// deepprof categories FILE: kernel time by category. deepprof categories test NAME...: which rule
// takes it.
#include "analysis/categories/categories.h"
#include "analysis/categories/readable_name.h"
#include "analysis/cli/command.h"
#include "analysis/cli/figures_input.h"
#include "analysis/import/message.h"
#include "analysis/report/counted_text.h"

namespace deepprof {
namespace {

class CategoriesCommand final : public Command {
 public:
  const char* name() const override { return "categories"; }
  const char* about() const override {
    return "Sum up kernel time by category, or show which rule takes a name";
  }
  const char* examples() const override {
    return "  deepprof categories train.dprof\n"
           "  deepprof categories test 'ampere_sgemm_128x64_nn' _ZN7cutlass6KernelI3fooEEvT_\n"
           "  deepprof categories trace.json.gz --categories my_rules.txt\n"
           "A rule file has lines of a category and a pattern; its rules come before the built-in "
           "ones:\n"
           "  moe  expert_(up|down)_gemm";
  }
  void add_options(CLI::App& app) override {
    input_.add_to(app);
    input_.add_whole_run_to(app);
    app.add_option("NAME", kernels_, "after the word test instead of FILE: names of kernels");
  }
  absl::StatusOr<ExitCode> run(Console& console) override {
    if (input_.input().path() == "test" && !kernels_.empty()) return test(console);
    if (!kernels_.empty())
      return bad_input("unexpected ", kernels_[0],
                       "; to try a name: deepprof categories test NAME");
    auto loaded = input_.load(console);
    if (!loaded.ok()) return loaded.status();
    Table table = categories_table((*loaded)->figures);
    add_counted_notes((*loaded)->figures, table);
    return input_.print(std::move(table), console, why_empty(**loaded, "no kernel ran"));
  }

 private:
  absl::StatusOr<ExitCode> test(Console& console) {
    Categories categories;
    if (!input_.categories_path().empty()) {
      if (const Status added = categories.add_user_file(input_.categories_path()); !added.ok())
        return bad_input(added.error());
    }
    Table table;
    table.name = "category_test";
    table.columns = {{"category", Unit::none, ""},
                     {"pattern", Unit::none, ""},
                     {"rule", Unit::none, ""},
                     {"short_name", Unit::none, "short name"},
                     {"searched", Unit::none, "searched in"}};
    for (const std::string& kernel : kernels_) {
      const Categories::Match match = categories.match(kernel);
      const char* rule = match.pattern.empty() ? "none matched"
                         : match.user_rule     ? "your file"
                                               : "built in";
      table.rows.push_back({categories.names()[match.category], std::string(match.pattern),
                            std::string(rule), short_name(kernel), Categories::subject(kernel)});
    }
    return input_.print(std::move(table), console);
  }

  FiguresInput input_;
  std::vector<std::string> kernels_;
};

}  // namespace

std::unique_ptr<Command> make_categories_command() { return std::make_unique<CategoriesCommand>(); }

}  // namespace deepprof
