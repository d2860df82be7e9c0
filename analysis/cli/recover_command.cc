// deepprof recover FILE -o OUT: a clean .dprof from a damaged one, or from that of a killed job.
#include "analysis/cli/command.h"
#include "analysis/cli/new_dprof.h"
#include "analysis/cli/value_checks.h"
#include "analysis/import/message.h"
#include "analysis/model/dprof.h"
#include "analysis/model/facts.h"

namespace deepprof {
namespace {

class RecoverCommand final : public Command {
 public:
  const char* name() const override { return "recover"; }
  const char* about() const override {
    return "Write what a damaged .dprof still holds as a clean one";
  }
  const char* examples() const override {
    return "  deepprof recover killed.dprof -o whole.dprof\n"
           "  deepprof check whole.dprof               (passes; what was lost stays a note)";
  }
  void add_options(CLI::App& app) override {
    app.add_option("FILE", path_, "a .dprof file")->required();
    app.add_option("-o,--output", output_, "the file to create")
        ->required()
        ->check(new_file())
        ->option_text("PATH");
  }
  absl::StatusOr<ExitCode> run(Console& console) override {
    Result<LoadedDprof> loaded = read_dprof(path_);
    if (!loaded) return bad_input(loaded.error());
    LoadedDprof& dump = loaded.value();
    if (find_fact(dump.trace, kRecovered) == nullptr)
      dump.trace.process.facts.emplace_back(kRecovered, path_);

    const auto bytes = write_new_dprof(dump.trace, output_);
    if (!bytes.ok()) return bytes.status();
    for (const std::string& note : dump.notes) console.say(note);
    console.say(concat("recovered ", dump.trace.ops.size(), " GPU ops and ",
                       dump.trace.calls.size(), " calls into ", output_));
    return ExitCode::ok;
  }

 private:
  std::string path_, output_;
};

}  // namespace

std::unique_ptr<Command> make_recover_command() { return std::make_unique<RecoverCommand>(); }

}  // namespace deepprof
