// deepprof run -- CMD: the job under the injected library.
//
// The command becomes the job by exec: no process of ours stays between the shell and the job, so
// signals, terminal, process id and exit code are the job's own. One looks on from the side, to say
// so when the job has used no GPU (unused_watch.h).
#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "analysis/cli/command.h"
#include "analysis/cli/injected_library.h"
#include "analysis/cli/program_files.h"
#include "analysis/cli/unused_watch.h"
#include "analysis/cli/write_signals.h"
#include "analysis/import/message.h"

namespace deepprof {
namespace {

// As env(1) and the shells answer.
constexpr int kNotExecutable = 126, kNotFound = 127;

// The folder for PYTHONPATH: installed, in the portable archive, or in the source tree; of this
// program, or of the library that was named.
std::optional<std::string> find_step_hook(const std::string& library) {
  const std::string installed = "../share/deepprof/scripts/step_hook";
  auto found = find_beside_program({installed, "../" + installed, "../../../../scripts/step_hook"});
  if (!found)
    found = find_beside(library, {installed, "../" + installed, "../../../scripts/step_hook"});
  return found;
}

class RunCommand final : public Command {
 public:
  const char* name() const override { return "run"; }
  const char* about() const override {
    return "Run a job under the profiler; its summary follows at exit";
  }
  const char* examples() const override {
    return "  deepprof run -- python train.py --batch 64\n"
           "  deepprof run --output /tmp/profiles -- torchrun --nproc-per-node 8 train.py\n"
           "  deepprof run --preload -- ./launcher.sh\n"
           "  deepprof run --cpu --steps -- python train_cpu.py\n"
           "  export CUDA_INJECTION64_PATH=$(deepprof run --print-library)";
  }
  void add_options(CLI::App& app) override {
    app.add_option("--library", library_, "the injected library, where it lies elsewhere")
        ->option_text("PATH");
    app.add_option("-o,--output", output_,
                   "folder or pattern of the files written (DEEPPROF_OUTPUT)")
        ->option_text("PATH");
    app.add_flag("--preload", preload_,
                 "use LD_PRELOAD too, for launchers that clean the environment");
    app.add_flag("--cpu", cpu_,
                 "a job without a GPU: record this one process and its machine (DEEPPROF_CPU)");
    app.add_flag(
        "--steps", steps_,
        "let PyTorch tell of its optimizer steps (DEEPPROF_STEP_HOOK, through PYTHONPATH)");
    app.add_flag("--print-library", print_library_,
                 "print the library's path, for CUDA_INJECTION64_PATH, and run nothing");
    app.add_option("CMD", command_, "the job and its arguments")->type_name("");
  }
  absl::StatusOr<ExitCode> run(Console& console) override {
    if (command_.empty() && !print_library_) {
      return absl::InvalidArgumentError("no job is named: deepprof run -- CMD");
    }
    if (library_.empty()) {
      const auto found = find_injected_library();
      if (!found) {
        return bad_input(
            kInjectedLibrary,
            " not found beside this program or in its lib folder; name it with --library");
      }
      library_ = *found;
    }
    if (const std::string why = unfit_as_library(library_); !why.empty()) return bad_input(why);
    // The job may have left this folder when it loads the library.
    library_ = std::filesystem::absolute(library_).lexically_normal().string();
    if (print_library_) {
      console.print(library_ + "\n");
      return ExitCode::ok;
    }
    if (absl::Status ready = set_environment(); !ready.ok()) return ready;
    const bool driver = cpu_ || driver_is_there(console);

    std::vector<char*> arguments;
    for (std::string& argument : command_) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    restore_write_signals();
    UnusedWatch watch;
    // Preloaded, the library is loaded whatever the job uses.
    if (driver && !cpu_ && !preload_) watch.start(library_);
    ::execvp(arguments[0], arguments.data());
    const int error = errno;
    watch.call_off();
    console.say(concat("deepprof run: cannot start ", command_[0], ": ", std::strerror(error)));
    std::_Exit(error == ENOENT ? kNotFound : kNotExecutable);
  }

 private:
  absl::Status set_environment() const {
    if (!output_.empty()) ::setenv("DEEPPROF_OUTPUT", output_.c_str(), 1);
    if (cpu_) {
      // The job keeps this process's number, so it alone is recorded, not what it starts.
      ::setenv("DEEPPROF_CPU", concat(::getpid()).c_str(), 1);
      ::unsetenv("CUDA_INJECTION64_PATH");
    } else {
      ::setenv("CUDA_INJECTION64_PATH", library_.c_str(), 1);
    }
    if (preload_ || cpu_) {
      if (const std::string why = unfit_for_preload(library_); !why.empty()) return bad_input(why);
      prepend("LD_PRELOAD", library_);
    }
    if (!steps_) return absl::OkStatus();
    const auto hook = find_step_hook(library_);
    if (!hook) return bad_input("step_hook not found beside this program or the library");
    if (hook->find(':') != std::string::npos)
      return bad_input("PYTHONPATH cannot name ", *hook, ": its path has a colon");
    ::setenv("DEEPPROF_STEP_HOOK", "1", 1);
    prepend("PYTHONPATH", *hook);
    return absl::OkStatus();
  }
  // The library is loaded by the driver, so a job without one ends without a word of ours.
  static bool driver_is_there(Console& console) {
    if (void* driver = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL)) {
      ::dlclose(driver);
      return true;
    }
    console.say(
        "deepprof run: no NVIDIA driver (libcuda.so.1) here: unless the job brings one nothing is "
        "recorded; without a GPU, deepprof run --cpu does");
    return false;
  }
  // Puts an entry before those of a list parted by colons.
  static void prepend(const char* variable, const std::string& entry) {
    const char* before = std::getenv(variable);
    const std::string list = before != nullptr && *before != 0 ? entry + ":" + before : entry;
    ::setenv(variable, list.c_str(), 1);
  }

  std::string library_, output_;
  bool preload_ = false, cpu_ = false, steps_ = false, print_library_ = false;
  std::vector<std::string> command_;
};

}  // namespace

std::unique_ptr<Command> make_run_command() { return std::make_unique<RunCommand>(); }

}  // namespace deepprof
