// The ways into a job.
//
// CUDA_INJECTION64_PATH: the driver loads this library inside cuInit and calls InitializeInjection, the only
// symbol that it exports. LD_PRELOAD: the constructor points CUDA_INJECTION64_PATH at this same file, so
// that every process of the tree that touches CUDA comes in by the first way and all others stay silent.
// With DEEPPROF_CPU (`deepprof run --cpu`) the constructor starts the record of the process named there, and
// leaves CUDA alone in all.
#include <dlfcn.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "inject/host_session.h"
#include "inject/log.h"
#include "inject/neighbours.h"
#include "inject/notice.h"
#include "inject/options.h"
#include "inject/session.h"
#include "libdeepprof/sample/kernel_file.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

constexpr const char* kInjectionVariable = "CUDA_INJECTION64_PATH";
constexpr const char* kCpuVariable = "DEEPPROF_CPU";

std::atomic<bool> initialized{false};
std::atomic<Session*> session{nullptr};

void finish_session() noexcept {
  if (Session* running = session.load(std::memory_order_acquire)) running->finish();
}

// Handlers run last registered first. The driver registers its own when the first context is made, and ours
// must come before it: so ours is registered now, and once more as soon as the job uses the GPU.
void register_exit_handler() { std::atexit(&finish_session); }

bool rank_is_wanted(const Options& options, const Rank& rank) {
  return options.ranks.empty() || rank.rank < 0 ||
         std::find(options.ranks.begin(), options.ranks.end(), rank.rank) != options.ranks.end();
}

// A program with rights that its user does not have (setuid, file capabilities) must not take orders from that
// user's environment, such as which library to load or where to write a file.
bool rights_are_borrowed() { return ::getauxval(AT_SECURE) != 0; }

// False: nothing is to be recorded here. Says what was wrong with the variables.
bool get_ready(Options& options, const Rank& rank) {
  if (options.disabled || !rank_is_wanted(options, rank)) return false;
  if (!options.log_path.empty() && !open_log(options.log_path)) {
    options.complaints.push_back("cannot open the log " + options.log_path);
  }
  for (const std::string& complaint : options.complaints) notice(complaint);
  return true;
}

void start_session() {
  if (rights_are_borrowed()) return;
  Options options = read_options(environ);
  const Rank rank = read_rank(environ);
  if (!get_ready(options, rank)) return;
  if (const std::string tool = other_tool(environ); !tool.empty()) {
    return notice(tool + " holds this process: standing down");
  }
  Result<std::unique_ptr<Session>> started = Session::start(std::move(options), rank, &register_exit_handler);
  if (!started) return notice("capture is off: " + started.error());
  session.store(std::move(started).value().release(), std::memory_order_release);
  register_exit_handler();
}

std::atomic<HostSession*> host_session{nullptr};

// A variable that is there. Not by setenv(): bash has a setenv of its own, which does nothing so early.
void change_variable(std::string_view name, const std::string& value) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.size() <= name.size() || text[name.size()] != '=' || text.substr(0, name.size()) != name) continue;
    *entry = ::strdup((std::string(name) + "=" + value).c_str());  // the environment's from now on
    return;
  }
}

// When this process began, in the kernel's ticks: exec leaves it as it is.
std::string own_birth() {
  constexpr size_t kStartTime = 18;  // numbers behind the state; the name before it may hold anything
  KernelFile file("/proc/self/stat");
  const std::string_view text = file.read().value_or("");
  const size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos || name_end + 4 > text.size()) return "?";
  const std::vector<int64_t> numbers = numbers_of(text.substr(name_end + 4));
  return numbers.size() > kStartTime ? std::to_string(numbers[kStartTime]) : "?";
}

void finish_host_session() noexcept {
  if (HostSession* running = host_session.load(std::memory_order_acquire)) running->finish();
}

// DEEPPROF_CPU is "PID", and once that process is recorded "PID:BIRTH:TRACE". Where this process was another
// program before (a shell, a launcher that became the job by exec), that program's trace is taken back. Its
// time of birth tells it from a later one that got the same number.
void start_host_session() {
  Options options = read_options(environ);
  const std::string process = format_text("%d", static_cast<int>(::getpid()));
  const std::string recorded = process + ":" + own_birth() + ":";
  if (options.cpu_process.compare(0, recorded.size(), recorded) == 0) {
    ::unlink(options.cpu_process.c_str() + recorded.size());
  } else if (options.cpu_process != process) {
    return;
  }
  const Rank rank = read_rank(environ);
  if (!get_ready(options, rank)) return;
  Result<std::unique_ptr<HostSession>> started = HostSession::start(std::move(options), rank);
  if (!started) return notice("nothing is recorded: " + started.error());
  change_variable(kCpuVariable, recorded + started.value()->trace_path());
  host_session.store(std::move(started).value().release(), std::memory_order_release);
  std::atexit(&finish_host_session);
}

void point_injection_at_this_file() {
  const char* preload = std::getenv("LD_PRELOAD");
  if (preload == nullptr || std::getenv(kInjectionVariable) != nullptr) return;
  Dl_info info{};
  char path[PATH_MAX];
  if (::dladdr(reinterpret_cast<void*>(&point_injection_at_this_file), &info) == 0) return;
  if (info.dli_fname == nullptr || ::realpath(info.dli_fname, path) == nullptr) return;
  ::setenv(kInjectionVariable, path, 0);
}

[[gnu::constructor]] void loaded() {
  if (rights_are_borrowed()) return;
  if (std::getenv(kCpuVariable) == nullptr) return point_injection_at_this_file();
  try {
    start_host_session();
  } catch (...) {
    notice("nothing is recorded: out of memory");
  }
}

}  // namespace
}  // namespace deepprof

// Called by the driver, once for each cuInit that loads us. Always 1: whatever happens here, the job's cuInit
// goes on as if we were not there.
extern "C" [[gnu::visibility("default")]] int InitializeInjection() noexcept {
  try {
    if (!deepprof::initialized.exchange(true)) deepprof::start_session();
  } catch (...) {
    deepprof::notice("capture is off: out of memory");
  }
  return 1;
}
