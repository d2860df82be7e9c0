// The family of verbs: `deepprof VERB ...`. One file a verb, one visible list (commands.cc).
#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/cli/console.h"

namespace deepprof {

enum class ExitCode : int {
  ok = 0,
  usage = 1,         // wrong usage, or input that cannot be read
  inconclusive = 2,  // the input was read but holds no answer
  gate_failed = 3,   // a limit given with --gate was passed
};

class Command {
 public:
  virtual ~Command() = default;

  virtual const char* name() const = 0;
  virtual const char* about() const = 0;     // one line of --help
  virtual const char* examples() const = 0;  // the end of `deepprof VERB --help`
  // Declares options; they are bound to members and filled before run().
  virtual void add_options(CLI::App& app) = 0;
  // An error status is printed as one line and ends with ExitCode::usage.
  virtual absl::StatusOr<ExitCode> run(Console& console) = 0;
};

// Every verb, in the order of --help.
std::vector<std::unique_ptr<Command>> commands();

std::unique_ptr<Command> make_run_command();
std::unique_ptr<Command> make_doctor_command();
std::unique_ptr<Command> make_report_command();
std::unique_ptr<Command> make_iterations_command();
std::unique_ptr<Command> make_gaps_command();
std::unique_ptr<Command> make_iter_command();
std::unique_ptr<Command> make_kernels_command();
std::unique_ptr<Command> make_categories_command();
std::unique_ptr<Command> make_streams_command();
std::unique_ptr<Command> make_memcpy_command();
std::unique_ptr<Command> make_memory_command();
std::unique_ptr<Command> make_operators_command();
std::unique_ptr<Command> make_sync_command();
std::unique_ptr<Command> make_comm_command();
std::unique_ptr<Command> make_device_command();
std::unique_ptr<Command> make_timeline_command();
std::unique_ptr<Command> make_compare_command();
std::unique_ptr<Command> make_top_command();
std::unique_ptr<Command> make_explain_command();
std::unique_ptr<Command> make_info_command();
std::unique_ptr<Command> make_check_command();
std::unique_ptr<Command> make_recover_command();
std::unique_ptr<Command> make_import_command();
std::unique_ptr<Command> make_export_command();
std::unique_ptr<Command> make_plot_command();

}  // namespace deepprof
