// deepprof operators FILE: GPU time by the operator or annotation that launched it.
#include "analysis/cli/command.h"
#include "analysis/cli/figures_input.h"
#include "analysis/cli/value_checks.h"
#include "analysis/import/message.h"
#include "analysis/report/counted_text.h"
#include "analysis/report/operator_sections.h"

namespace deepprof {
namespace {

constexpr struct {
  const char* word;
  RangeSource source;
} kSources[] = {{"operator", RangeSource::framework_op},
                {"nvtx", RangeSource::nvtx},
                {"annotation", RangeSource::annotation},
                {"python", RangeSource::python}};

class OperatorsCommand final : public Command {
 public:
  const char* name() const override { return "operators"; }
  const char* about() const override {
    return "Sum up GPU time by the operator, NVTX range or function that launched it";
  }
  const char* examples() const override {
    return "  deepprof operators trace.json.gz -n 20\n"
           "  deepprof operators train.sqlite --source nvtx -s total\n"
           "  deepprof operators trace.json.gz --iter 4 --format csv";
  }
  void add_options(CLI::App& app) override {
    std::vector<std::string> words;
    for (const auto& each : kSources) words.emplace_back(each.word);
    app.add_option("--source", source_,
                   "only annotations of this source: operator (framework), nvtx, annotation "
                   "(record_function and the like), python")
        ->check(one_of(words))
        ->option_text("SOURCE")
        ->group("Filters");
    input_.add_to(app, 20);
    input_.add_whole_run_to(app);
  }
  absl::StatusOr<ExitCode> run(Console& console) override {
    auto loaded = input_.load(console);
    if (!loaded.ok()) return loaded.status();
    const FiguredTrace& of = **loaded;
    Table table = operators_table(of.trace, of.figures, source(), input_.names());
    add_counted_notes(of.figures, table);
    return input_.print(
        std::move(table), console,
        why_empty(of,
                  "no GPU op here was launched in an annotation (an operator, an NVTX range, a "
                  "Python function)"));
  }

 private:
  std::optional<RangeSource> source() const {
    for (const auto& each : kSources) {
      if (source_ == each.word) return each.source;
    }
    return std::nullopt;
  }

  FiguresInput input_;
  std::string source_;
};

}  // namespace

std::unique_ptr<Command> make_operators_command() { return std::make_unique<OperatorsCommand>(); }

}  // namespace deepprof
