#include "inject/host_run.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "inject/get_ready.h"
#include "inject/host_session.h"
#include "inject/notice.h"
#include "inject/options.h"
#include "libdeepprof/sample/kernel_file.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

std::atomic<HostSession*> session{nullptr};

// A variable that is there. Not by setenv(): bash has a setenv of its own, which does nothing so early.
void change_variable(std::string_view name, const std::string& value) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.size() <= name.size() || text[name.size()] != '=' || text.substr(0, name.size()) != name) continue;
    // The environment's from now on. Without memory the variable stays as it is: a null would end the environment.
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

void finish_session() noexcept {
  if (HostSession* running = session.load(std::memory_order_acquire)) running->finish();
}

}  // namespace

void start_host_run() {
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
  change_variable(kHostRunVariable, recorded + started.value()->trace_path());
  session.store(std::move(started).value().release(), std::memory_order_release);
  std::atexit(&finish_session);
}

}  // namespace deepprof
