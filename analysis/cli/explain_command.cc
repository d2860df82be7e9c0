// deepprof explain [TERM]: what a printed term means, how it is computed, and its pitfalls.
#include "absl/strings/str_split.h"
#include "analysis/cli/command.h"
#include "analysis/cli/output_options.h"
#include "analysis/cli/words.h"
#include "analysis/import/message.h"
#include "analysis/report/terms/terms.h"

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
           "  deepprof explain idle_ns        (a column of csv and json)\n"
           "  deepprof explain                (every term)\n"
           "  deepprof explain --format markdown -o terms.md";
  }
  void add_options(CLI::App& app) override {
    app.add_option("TERM", words_, "a word or column of the output; none: list all");
    output_.add_to(app);
  }
  absl::StatusOr<ExitCode> run(Console& console) override {
    if (absl::Status page = output_.check_page("what explain says"); !page.ok()) return page;
    std::string wanted;
    for (const std::string& word : words_) wanted += (wanted.empty() ? "" : " ") + word;
    const Term* term = find_term(wanted);
    if (wanted.empty()) return print(terms(), console);
    if (term == nullptr) return bad_input(no_term(wanted));
    return print({term, 1}, console);
  }

 private:
  // There are too many to name them all: the one that was meant, else those that speak of it.
  static std::string no_term(const std::string& wanted) {
    std::vector<std::string> known, speaking;
    for (const Term& term : terms()) {
      known.emplace_back(term.name);
      const std::vector<std::string> aliases = absl::StrSplit(term.aliases, ',');
      known.insert(known.end(), aliases.begin(), aliases.end());
      if (std::string_view(term.definition).find(wanted) != std::string_view::npos)
        speaking.emplace_back(term.name);
    }
    const std::string meant = closest_word(wanted, known);
    const std::string instead = !meant.empty() ? "did you mean " + meant + "?"
                                : !speaking.empty()
                                    ? "it stands in what is said of " + joined(speaking)
                                    : "deepprof explain lists all terms";
    return concat("no term ", wanted, "; ", instead);
  }

  absl::StatusOr<ExitCode> print(std::span<const Term> chosen, Console& console) const {
    if (output_.format() == Format::text) {
      const size_t width = console.width() > 0 ? static_cast<size_t>(console.width()) : 100;
      std::string text;
      for (const Term& term : chosen) text += explain(term, width);
      if (absl::Status written = output_.write(text, console); !written.ok()) return written;
      return ExitCode::ok;
    }
    Table table;
    table.name = "terms";
    table.columns = {{"term", Unit::none, ""},
                     {"aliases", Unit::none, ""},
                     {"definition", Unit::none, ""},
                     {"formula", Unit::none, ""},
                     {"pitfalls", Unit::none, ""}};
    for (const Term& term : chosen)
      table.rows.push_back({std::string(term.name), std::string(term.aliases),
                            std::string(term.definition), std::string(term.formula),
                            std::string(term.pitfalls)});
    if (absl::Status printed = output_.print({std::move(table)}, console); !printed.ok())
      return printed;
    return ExitCode::ok;
  }

  OutputOptions output_;
  std::vector<std::string> words_;
};

}  // namespace

std::unique_ptr<Command> make_explain_command() { return std::make_unique<ExplainCommand>(); }

}  // namespace deepprof
