// deepprof: the command. Builds one CLI11 subcommand per verb of the list and runs the one that was
// asked.
#include <algorithm>
#include <new>

#include "analysis/cli/command.h"
#include "analysis/cli/parse_error.h"
#include "analysis/cli/words.h"
#include "analysis/cli/write_signals.h"
#include "analysis/import/message.h"

namespace deepprof {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  deepprof run -- python train.py\n"
    "  deepprof iterations trace.json.gz\n"
    "`deepprof VERB --help` tells more, with examples.\n"
    "Exit codes: 0 ok; 1 wrong usage, unreadable input, or a filter that names what the trace does "
    "not\n"
    "hold; 2 inconclusive: the input was read but holds no answer, or nothing matches; 3 a check "
    "or a\n"
    "limit (--gate) failed. `deepprof run` ends with the job's own.";

int run_command(Command& command, Console& console) {
  try {
    const absl::StatusOr<ExitCode> code = command.run(console);
    if (code.ok()) return static_cast<int>(*code);
    console.say(concat("deepprof ", command.name(), ": ", std::string(code.status().message())));
  } catch (const std::bad_alloc&) {
    console.say(concat("deepprof ", command.name(), ": out of memory"));
  }
  return static_cast<int>(ExitCode::usage);
}

// One line: what is wrong and where to read on. --help and --version are no errors.
int answer_parse(const CLI::App& app, const CLI::ParseError& error, Console& console) {
  if (error.get_exit_code() == 0) return app.exit(error);
  std::string verb = "deepprof";
  const CLI::App* parser = &app;
  for (const CLI::App* chosen : app.get_subcommands()) {
    verb += " " + chosen->get_name();
    parser = chosen;
  }
  console.say(concat(verb, ": ", explain_parse_error(*parser, error), " (see ", verb, " --help)"));
  return static_cast<int>(ExitCode::usage);
}

using Verbs = std::vector<std::unique_ptr<Command>>;

// What is wrong with the first word; empty: nothing. CLI11 would only say that a subcommand is
// missing.
std::string refuse_first_word(const Verbs& verbs, std::string_view word) {
  std::vector<std::string> names;
  for (const auto& verb : verbs) {
    if (word == verb->name()) return {};
    names.emplace_back(verb->name());
  }
  if (word == "-h" || word == "--help" || word == "--version") return {};
  if (word.empty()) return concat("expected a verb, one of ", joined(names));
  return unknown_word(word[0] == '-' ? "expected a verb before" : "no verb", word, names);
}

int main_function(int argc, char** argv) {
  ignore_write_signals();
  CLI::App app("DeepProf: where each training iteration's time went, and why the GPU was idle",
               "deepprof");
  app.set_version_flag("--version", "deepprof " DEEPPROF_VERSION);
  app.require_subcommand(1);
  app.footer(kFooter);
  Console console;
  bool quiet = false;
  const Verbs verbs = commands();
  std::vector<CLI::App*> parsers;
  for (const auto& verb : verbs) {
    CLI::App* parser = app.add_subcommand(verb->name(), verb->about());
    parser->footer(std::string("Examples:\n") + verb->examples());
    verb->add_options(*parser);
    parser->add_flag("-q,--quiet", quiet, "no progress on stderr");
    parsers.push_back(parser);
  }
  if (const std::string wrong = refuse_first_word(verbs, argc > 1 ? argv[1] : ""); !wrong.empty()) {
    console.say(concat("deepprof: ", wrong));
    return static_cast<int>(ExitCode::usage);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) { return answer_parse(app, error, console); }
  console.set_quiet(quiet);
  for (size_t i = 0; i < verbs.size(); ++i) {
    if (parsers[i]->parsed()) return run_command(*verbs[i], console);
  }
  return static_cast<int>(ExitCode::usage);
}

}  // namespace
}  // namespace deepprof

int main(int argc, char** argv) { return deepprof::main_function(argc, argv); }
