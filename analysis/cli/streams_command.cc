// deepprof streams FILE: a row for each stream of each device.
#include "analysis/cli/command.h"
#include "analysis/cli/figures_input.h"

namespace deepprof {
namespace {

class StreamsCommand final : public Command {
 public:
  const char* name() const override { return "streams"; }
  const char* about() const override {
    return "List the streams: what ran on each, launch delays, queue depth";
  }
  const char* examples() const override {
    return "  deepprof streams train.dprof\n"
           "  deepprof streams trace.json.gz --device 0 -s busy";
  }
  void add_options(CLI::App& app) override { input_.add_to(app); }
  absl::StatusOr<ExitCode> run(Console& console) override {
    auto loaded = input_.load(console);
    if (!loaded.ok()) return loaded.status();
    return input_.print(streams_table((*loaded)->trace, (*loaded)->figures), console,
                        why_empty(**loaded, ""));
  }

 private:
  FiguresInput input_;
};

}  // namespace

std::unique_ptr<Command> make_streams_command() { return std::make_unique<StreamsCommand>(); }

}  // namespace deepprof
