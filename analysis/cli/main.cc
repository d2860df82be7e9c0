// deepprof: the command. Builds one CLI11 subcommand per verb of the list and runs the one that was
// asked.
#include <algorithm>
#include <new>

#include "analysis/cli/command.h"
#include "analysis/cli/write_signals.h"
#include "analysis/import/message.h"

namespace deepprof {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  deepprof run -- python train.py\n"
    "  deepprof iterations trace.json.gz\n"
    "`deepprof VERB --help` tells more, with examples.\n"
    "Exit codes: 0 ok, 1 usage or unreadable input, 2 inconclusive, 3 gate failed.";

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
  for (const CLI::App* chosen : app.get_subcommands()) verb += " " + chosen->get_name();
  console.say(concat(verb, ": ", error.what(), " (see ", verb, " --help)"));
  return static_cast<int>(ExitCode::usage);
}

using Verbs = std::vector<std::unique_ptr<Command>>;

// CLI11 would only say that a subcommand is missing.
bool is_unknown_verb(const Verbs& verbs, std::string_view word) {
  return !word.empty() && word[0] != '-' &&
         std::none_of(verbs.begin(), verbs.end(),
                      [&](const auto& verb) { return word == verb->name(); });
}

std::string names_of(const Verbs& verbs) {
  std::string names;
  for (const auto& verb : verbs) names += concat(names.empty() ? "" : ", ", verb->name());
  return names;
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
  if (argc > 1 && is_unknown_verb(verbs, argv[1])) {
    console.say(concat("deepprof: no verb ", argv[1], ": expected one of ", names_of(verbs)));
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
