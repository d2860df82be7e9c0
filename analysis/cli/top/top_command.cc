// deepprof top PID|FILE: what a running job does now, from the trace that it writes.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "analysis/cli/command.h"
#include "analysis/cli/top/live_screen.h"
#include "analysis/cli/top/running_job.h"
#include "analysis/cli/value_checks.h"
#include "analysis/import/decimal.h"
#include "analysis/import/message.h"
#include "analysis/model/dprof.h"
#include "analysis/online/find_iterations.h"
#include "analysis/report/figures.h"
#include "analysis/report/live_page.h"
#include "analysis/report/summary_device.h"
#include "analysis/report/units.h"

namespace deepprof {
namespace {

// How much of the newest events is looked at: enough for a few iterations, so that a page costs a
// fraction of a second whatever the run's length. Longer iterations need more.
constexpr uint64_t kFirstBytes = uint64_t{2} << 20, kMostBytes = uint64_t{64} << 20;
constexpr size_t kWantedIterations = 5;

bool is_alive(int pid) { return ::access(concat("/proc/", pid).c_str(), F_OK) == 0; }

bool enough(const Figures& figures) {
  return std::any_of(
      figures.devices.begin(), figures.devices.end(),
      [](const DeviceFigures& device) { return device.counted.size() >= kWantedIterations; });
}

struct Newest {
  LoadedDprof loaded;
  Mined mined;
  Figures figures;
};

class LiveTrace {
 public:
  explicit LiveTrace(std::string path) : path_(std::move(path)) {}

  absl::StatusOr<std::unique_ptr<Newest>> read() {
    for (;; bytes_ = std::min(4 * bytes_, kMostBytes)) {
      auto loaded = read_dprof(path_, {bytes_});
      if (!loaded.ok()) return bad_input(loaded.error());
      auto newest = std::make_unique<Newest>();
      newest->loaded = std::move(loaded).value();
      newest->mined = find_iterations(newest->loaded.trace);
      newest->figures = compute_figures(newest->loaded.trace, newest->mined, {});
      if (enough(newest->figures) || bytes_ >= kMostBytes || bytes_ >= size()) return newest;
    }
  }
  uint64_t size() const {
    struct stat facts = {};
    return ::stat(path_.c_str(), &facts) == 0 ? static_cast<uint64_t>(facts.st_size) : 0;
  }
  double age_s() const {
    struct stat facts = {};
    if (::stat(path_.c_str(), &facts) != 0) return -1;
    return std::max(0.0, std::difftime(std::time(nullptr), facts.st_mtim.tv_sec));
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  uint64_t bytes_ = kFirstBytes;
};

class TopCommand final : public Command {
 public:
  const char* name() const override { return "top"; }
  const char* about() const override {
    return "Watch a running job: its newest iterations, where their time goes";
  }
  const char* examples() const override {
    return "  deepprof top 41873                        (the job's process id, or its launcher's)\n"
           "  deepprof top deepprof.gpu-07.41873.dprof\n"
           "  deepprof top 41873 --once | head          (one page, for scripts)\n"
           "Keys: q ends; the next job of a launcher with n.\n"
           "The page is made from the trace file alone: nothing is asked of the job.";
  }
  void add_options(CLI::App& app) override {
    app.add_option("JOB", job_, "process id, or .dprof file that is being written")->required();
    app.add_option("--interval", interval_s_, "seconds between pages")
        ->check(positive_number())
        ->option_text("SECONDS");
    app.add_flag("--once", once_, "print one page and end");
  }

  absl::StatusOr<ExitCode> run(Console& console) override {
    auto traces = traces_of_job();
    if (!traces.ok()) return traces.status();
    if (once_ || ::isatty(STDOUT_FILENO) == 0) return print_once(*traces, console);
    return watch(*traces, console);
  }

 private:
  // A file that is named like a number is still a file.
  absl::StatusOr<std::vector<RunningTrace>> traces_of_job() const {
    const auto pid = integer_of(job_);
    if (!pid || ::access(job_.c_str(), F_OK) == 0) return std::vector<RunningTrace>{{0, job_, ""}};
    if (*pid < 1 || *pid > INT32_MAX) return bad_input("there is no process ", job_);
    return traces_of_process(static_cast<int>(*pid));
  }

  absl::StatusOr<ExitCode> print_once(const std::vector<RunningTrace>& traces, Console& console) {
    bool any = false;
    for (const RunningTrace& running : traces) {
      LiveTrace live(running.path);
      auto newest = live.read();
      if (!newest.ok()) return newest.status();
      console.print(page_of(**newest, live, running, traces.size(), 0, console));
      any = any || !(*newest)->figures.devices.empty() || is_host_run((*newest)->loaded.trace);
    }
    return any ? ExitCode::ok : ExitCode::inconclusive;
  }

  absl::StatusOr<ExitCode> watch(const std::vector<RunningTrace>& traces, Console& console) {
    std::vector<LiveTrace> lives;
    for (const RunningTrace& running : traces) lives.emplace_back(running.path);
    LiveScreen screen;
    char key = 0;
    size_t shown = 0;
    do {
      if (key == 'n') shown = (shown + 1) % lives.size();
      auto newest = lives[shown].read();
      if (!newest.ok()) return newest.status();
      screen.show(page_of(**newest, lives[shown], traces[shown], traces.size(), shown, console));
    } while (screen.wait(interval_s_, key));
    return ExitCode::ok;
  }

  static std::string page_of(const Newest& newest, const LiveTrace& live,
                             const RunningTrace& running, size_t jobs, size_t shown,
                             const Console& console) {
    const Trace& trace = newest.loaded.trace;
    LiveState state;
    const int pid = running.pid != 0 ? running.pid : static_cast<int>(trace.process.pid);
    state.title = concat("deepprof top   pid ", pid);
    if (trace.process.rank >= 0) state.title += concat("   rank ", trace.process.rank);
    if (jobs > 1) state.title += concat("   (", shown + 1, " of ", jobs, ": n shows the next)");
    if (!running.removed.empty()) state.title += "   (removed: " + running.removed + ")";
    state.title +=
        "   " + bytes_text(static_cast<double>(live.size())) + "   " + trace.process.command_line;
    // A process id means something on the machine that recorded it alone.
    state.running = !newest.loaded.complete && (running.pid == 0 || is_alive(running.pid));
    state.age_s = live.age_s();
    state.width = console.width() > 0 ? console.width() : 100;
    state.color = console.color();
    return live_page(trace, newest.figures, state);
  }

  std::string job_;
  double interval_s_ = 2;
  bool once_ = false;
};

}  // namespace

std::unique_ptr<Command> make_top_command() { return std::make_unique<TopCommand>(); }

}  // namespace deepprof
