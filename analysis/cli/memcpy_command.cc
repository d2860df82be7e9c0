// deepprof memcpy FILE: bytes, time and bandwidth by direction and kinds of memory, or by size.
#include "analysis/cli/command.h"
#include "analysis/cli/figures_input.h"

namespace deepprof {
namespace {

class MemcpyCommand final : public Command {
 public:
  const char* name() const override { return "memcpy"; }
  const char* about() const override {
    return "Sum up copies: bytes, time and bandwidth by direction and memory";
  }
  const char* examples() const override {
    return "  deepprof memcpy train.dprof\n"
           "  deepprof memcpy trace.json.gz --sizes --format csv";
  }
  void add_options(CLI::App& app) override {
    app.add_flag("--sizes", sizes_, "a row for each power of two of the size instead");
    input_.add_to(app);
  }
  absl::StatusOr<ExitCode> run(Console& console) override {
    auto loaded = input_.load(console);
    if (!loaded.ok()) return loaded.status();
    return input_.print(sizes_ ? memcpy_sizes_table((*loaded)->trace, (*loaded)->figures)
                               : memcpy_table((*loaded)->trace, (*loaded)->figures),
                        console, why_empty(**loaded, "no copy ran"));
  }

 private:
  FiguresInput input_;
  bool sizes_ = false;
};

}  // namespace

std::unique_ptr<Command> make_memcpy_command() { return std::make_unique<MemcpyCommand>(); }

}  // namespace deepprof
