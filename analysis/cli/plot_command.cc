// deepprof plot FILE [NAME...]: draws pictures of a trace with the scripts that come with the
// command.
//
// The scripts are Python with matplotlib, and read what this command prints as CSV. Nothing else of
// the project needs Python, so its absence is told with what to install.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "analysis/cli/command.h"
#include "analysis/cli/program_files.h"
#include "analysis/cli/words.h"
#include "analysis/import/message.h"

extern char** environ;

namespace deepprof {
namespace {

struct Picture {
  const char* name;
  const char* about;
  bool of_runs = false;  // drawn of several runs: FILE and those named with --with
};

// Each is scripts/plot_NAME.py.
constexpr Picture kPictures[] = {
    {"iterations", "time of each iteration, slow ones marked, sections shaded"},
    {"histogram", "histogram of iteration times, and the share at or below each time"},
    {"breakdown", "where the time of each iteration went"},
    {"timeline", "one iteration: streams, host calls, causes of gaps"},
    {"gaps", "gaps by length and cause"},
    {"kernels", "time by kernel and by category"},
    {"selfsimilarity", "where the sequence of GPU ops repeats, with the boundaries found"},
    {"device", "utilization, memory, power, temperature, clocks and the host's CPU over time"},
    {"memory", "bytes allocated over time, by device and kind of memory"},
    {"compare", "with --with: the parts of two runs' iterations, and what makes the difference",
     true},
    {"sweep", "with --with: time, items/s, power and more of several runs against what was varied",
     true},
};

const Picture* find_picture(const std::string& name) {
  const auto* found = std::find_if(std::begin(kPictures), std::end(kPictures),
                                   [&](const Picture& picture) { return name == picture.name; });
  return found == std::end(kPictures) ? nullptr : found;
}

// The exit code of a program run to its end, 127 where it could not be started.
int run_program(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (::posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0)
    return 127;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// The first Python that has matplotlib; DEEPPROF_PYTHON names the only candidate.
std::optional<std::string> find_python() {
  const char* named = std::getenv("DEEPPROF_PYTHON");
  const std::vector<std::string> candidates =
      named != nullptr ? std::vector<std::string>{named}
                       : std::vector<std::string>{"python3", "/usr/bin/python3"};
  for (const std::string& python : candidates) {
    const char* probe =
        "import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, ('matplotlib', "
        "'numpy'))))";
    if (run_program({python, "-c", probe}) == 0) return python;
  }
  return std::nullopt;
}

// DEEPPROF_SCRIPTS, installed (share beside bin), in the portable archive, or in the source tree.
std::optional<std::string> find_scripts() {
  if (const char* named = std::getenv("DEEPPROF_SCRIPTS")) return named;
  return find_beside_program(
      {"../share/deepprof/scripts", "../../share/deepprof/scripts", "../../../../scripts"});
}

class PlotCommand final : public Command {
 public:
  const char* name() const override { return "plot"; }
  const char* about() const override {
    return "Draw pictures of a trace (needs Python with matplotlib)";
  }
  const char* examples() const override {
    return "  deepprof plot train.dprof\n"
           "  deepprof plot trace.json.gz iterations gaps --output pictures\n"
           "  deepprof plot train.dprof timeline --iter 212\n"
           "  deepprof plot b64.dprof --with b128.dprof            (compare and sweep)";
  }
  void add_options(CLI::App& app) override {
    app.add_option("FILE", trace_, "a .dprof file, or a trace of another tool")
        ->required()
        ->type_name("");
    app.add_option("--with", others_, "compare, sweep: the runs to set beside FILE")
        ->option_text("FILE")
        ->type_name("");
    std::string about = "which ones (default: all of one run; with --with: all of several):";
    for (const Picture& picture : kPictures)
      about += concat("\n", picture.name, ": ", picture.about);
    app.add_option("NAME", names_, about)->type_name("");
    app.add_option(
           "-o,--output", output_,
           "the folder to write NAME.png and NAME.svg into, made where it is missing (default: .)")
        ->option_text("FOLDER");
    app.add_option("--iter", iteration_, "timeline: the iteration (default: one of median time)")
        ->option_text("N");
  }

  absl::StatusOr<ExitCode> run(Console&) override {
    for (const std::string& name : names_) {
      const Picture* picture = find_picture(name);
      if (picture == nullptr) return bad_input(unknown_word("no picture", name, all_names()));
      if (picture->of_runs && others_.empty())
        return bad_input("the picture ", name, " is of several runs: name the others after --with");
    }
    if (names_.empty()) {
      for (const Picture& picture : kPictures) {
        if (picture.of_runs == !others_.empty()) names_.emplace_back(picture.name);
      }
    }
    std::vector<std::string> traces = others_;
    traces.push_back(trace_);
    for (const std::string& trace : traces) {
      if (::access(trace.c_str(), R_OK) != 0)
        return bad_input("cannot read ", trace, ": ", std::strerror(errno));
    }
    const std::optional<std::string> scripts = find_scripts();
    if (!scripts) {
      return bad_input(
          "the scripts that draw are not beside this program: expected share/deepprof/scripts or "
          "the folder that DEEPPROF_SCRIPTS names");
    }
    const std::optional<std::string> python = find_python();
    if (!python) {
      return bad_input(
          "no Python with matplotlib: install it with 'apt-get install python3-matplotlib' or "
          "'pip install matplotlib', or name an interpreter in DEEPPROF_PYTHON");
    }
    return draw_all(*python, *scripts);
  }

 private:
  static std::vector<std::string> all_names() {
    std::vector<std::string> all;
    for (const Picture& picture : kPictures) all.emplace_back(picture.name);
    return all;
  }

  absl::StatusOr<ExitCode> draw_all(const std::string& python, const std::string& scripts) {
    ::setenv("DEEPPROF_COMMAND", this_program().c_str(), 0);  // what the scripts call
    std::string failed;
    for (const std::string& name : names_) {
      std::vector<std::string> words{python, scripts + "/plot_" + name + ".py", trace_, "--output",
                                     output_ + "/" + name};
      if (name == "timeline" && !iteration_.empty())
        words.insert(words.end(), {"--iter", iteration_});
      if (find_picture(name)->of_runs) {
        words.emplace_back("--with");
        words.insert(words.end(), others_.begin(), others_.end());
      }
      if (run_program(words) != 0) failed += (failed.empty() ? "" : ", ") + name;
    }
    if (failed.empty()) return ExitCode::ok;
    return bad_input("could not be drawn: ", failed);
  }

  std::string trace_, output_ = ".", iteration_;
  std::vector<std::string> names_, others_;
};

}  // namespace

std::unique_ptr<Command> make_plot_command() { return std::make_unique<PlotCommand>(); }

}  // namespace deepprof
