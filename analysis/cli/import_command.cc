// deepprof import FILE -o OUT.dprof: a foreign trace as our own dump, smaller and quicker to read.
#include "analysis/cli/command.h"
#include "analysis/cli/input.h"
#include "analysis/cli/new_dprof.h"
#include "analysis/cli/value_checks.h"
#include "analysis/import/message.h"
#include "analysis/model/dprof.h"
#include "analysis/report/units.h"

namespace deepprof {
namespace {

// The name of the input without what tells its format, beside where we are: t/x.json.gz gives
// x.dprof.
std::string default_output(const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  for (const std::string_view ending : {".gz", ".zst", ".json", ".sqlite", ".csv", ".pt.trace"}) {
    if (name.size() > ending.size() && name.ends_with(ending))
      name.resize(name.size() - ending.size());
  }
  return name + ".dprof";
}

class ImportCommand final : public Command {
 public:
  const char* name() const override { return "import"; }
  const char* about() const override { return "Turn a foreign trace into a .dprof dump"; }
  const char* examples() const override {
    return "  deepprof import trace.json.gz\n"
           "  deepprof import trace.json.gz -o run7.dprof";
  }
  void add_options(CLI::App& app) override {
    input_.add_to(app);
    app.add_option("-o,--output", output_, "the file to create (default: NAME.dprof here)")
        ->check(new_file())
        ->option_text("PATH");
  }
  absl::StatusOr<ExitCode> run(Console& console) override {
    const std::string path = output_.empty() ? default_output(input_.path()) : output_;
    if (const std::string why = why_not_created(path); !why.empty()) return bad_input(why);
    auto trace = input_.load(console);
    if (!trace.ok()) return trace.status();
    const auto bytes = write_new_dprof(*trace, path);
    if (!bytes.ok()) return bytes.status();
    console.say(concat("wrote ", path, " (", bytes_text(static_cast<double>(*bytes)), ")"));
    return ExitCode::ok;
  }

 private:
  InputArgument input_;
  std::string output_;
};

}  // namespace

std::unique_ptr<Command> make_import_command() { return std::make_unique<ImportCommand>(); }

}  // namespace deepprof
