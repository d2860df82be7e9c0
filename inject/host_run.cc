#include "inject/host_run.h"

#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "inject/get_ready.h"
#include "inject/host_session.h"
#include "inject/notice.h"
#include "inject/options.h"
#include "libdeepprof/capture/clock.h"
#include "libdeepprof/sample/kernel_file.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

std::atomic<HostSession*> session{nullptr};

// A variable that is there. Not by setenv(): bash has a setenv of its own, which does nothing so
// early.
void change_variable(std::string_view name, const std::string& value) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.size() <= name.size() || text[name.size()] != '=' ||
        text.substr(0, name.size()) != name)
      continue;
    // The environment's from now on. Without memory the variable stays as it is: a null would end
    // the environment.
    if (char* changed = ::strdup((std::string(name) + "=" + value).c_str())) *entry = changed;
    return;
  }
}

// When this process began, in the kernel's ticks: exec leaves it as it is.
std::string own_birth() {
  constexpr size_t kStartTime = 18;  // numbers behind the state
  KernelFile file("/proc/self/stat");
  const std::vector<int64_t> numbers = numbers_behind_state(file.read().value_or(""));
  return numbers.size() > kStartTime ? std::to_string(numbers[kStartTime]) : "?";
}

// A recording of this process that was cut short by exec, as it stands in the variable:
// PROCESS:BIRTH:BEGAN:PATH.
struct EarlierRecording {
  int64_t began_ns = 0;  // monotonic
  std::string path;
};

std::optional<EarlierRecording> earlier_recording(const std::string& variable,
                                                  const std::string& process_and_birth) {
  if (variable.compare(0, process_and_birth.size(), process_and_birth) != 0) return {};
  EarlierRecording earlier;
  const char* const began = variable.data() + process_and_birth.size();
  const char* const end = variable.data() + variable.size();
  const auto [at, error] = std::from_chars(began, end, earlier.began_ns);
  if (error != std::errc() || at == end || *at != ':') return {};
  earlier.path.assign(at + 1, end);
  return earlier;
}

// Shells and wrappers become what they start within a moment: their recording is nothing. A job
// that has run for longer keeps its own.
void settle(const EarlierRecording& earlier) {
  constexpr int64_t kMoment_ns = 5'000'000'000;
  if (monotonic_ns() - earlier.began_ns < kMoment_ns) {
    ::unlink(earlier.path.c_str());
  } else {
    notice("the job has become another program: up to there it is in " + earlier.path);
  }
}

void finish_session() noexcept {
  if (HostSession* running = session.load(std::memory_order_acquire)) running->finish();
}

}  // namespace

void start_host_run() {
  Options options = read_options(environ);
  const std::string process = format_text("%d", static_cast<int>(::getpid()));
  const std::string process_and_birth = process + ":" + own_birth() + ":";
  const std::optional<EarlierRecording> earlier =
      earlier_recording(options.cpu_process, process_and_birth);
  if (!earlier && options.cpu_process != process) return;
  const Rank rank = read_rank(environ);
  constexpr uint64_t kMapped_bytes = uint64_t{250} << 20;  // of three threads
  if (!get_ready(options, rank, kMapped_bytes)) return;
  if (earlier) settle(*earlier);
  const int64_t now_ns = monotonic_ns();
  Result<std::unique_ptr<HostSession>> started = HostSession::start(std::move(options), rank);
  if (!started) return notice("nothing is recorded: " + started.error());
  change_variable(kHostRunVariable, process_and_birth +
                                        format_text("%lld:", static_cast<long long>(now_ns)) +
                                        started.value()->trace_path());
  session.store(std::move(started).value().release(), std::memory_order_release);
  std::atexit(&finish_session);
}

}  // namespace deepprof
