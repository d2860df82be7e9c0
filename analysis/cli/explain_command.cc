// deepprof explain [TERM]: what a printed term means, how it is computed, and its pitfalls.
#include "analysis/cli/command.h"
#include "analysis/import/message.h"
#include "analysis/report/terms.h"

namespace deepprof {
namespace {

class ExplainCommand final : public Command {
 public:
  const char* name() const override { return "explain"; }
  const char* about() const override {
    return "Say what a term of the report means: definition, formula, pitfalls";
  }
  const char* examples() const override {
    return "  deepprof explain utilization\n"
           "  deepprof explain kernel wait\n"
           "  deepprof explain                (every term)";
  }
  void add_options(CLI::App& app) override {
    app.add_option("TERM", words_, "a word of the report; none: list all");
  }
  absl::StatusOr<ExitCode> run(Console& console) override {
    const size_t width = console.width() > 0 ? static_cast<size_t>(console.width()) : 100;
    std::string wanted;
    for (const std::string& word : words_) wanted += (wanted.empty() ? "" : " ") + word;
    if (wanted.empty()) {
      std::string all;
      for (const Term& term : terms()) all += explain(term, width);
      console.print(all);
      return ExitCode::ok;
    }
    const Term* term = find_term(wanted);
    if (term == nullptr) {
      std::string known;
      for (const Term& each : terms()) known += concat(known.empty() ? "" : ", ", each.name);
      return bad_input("no term ", wanted, "; there are: ", known);
    }
    console.print(explain(*term, width));
    return ExitCode::ok;
  }

 private:
  std::vector<std::string> words_;
};

}  // namespace

std::unique_ptr<Command> make_explain_command() { return std::make_unique<ExplainCommand>(); }

}  // namespace deepprof
