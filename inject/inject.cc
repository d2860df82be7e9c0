// The ways into a job.
//
// CUDA_INJECTION64_PATH: the driver loads this library inside cuInit and calls InitializeInjection,
// the only symbol that it exports. LD_PRELOAD: the constructor points CUDA_INJECTION64_PATH at this
// same file, so that every process of the tree that touches CUDA comes in by the first way and all
// others stay silent. With DEEPPROF_CPU (`deepprof run --cpu`) the constructor starts the record of
// the process named there, and leaves CUDA alone in all.
#include <dlfcn.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdlib>
#include <string>
#include <utility>

#include "inject/get_ready.h"
#include "inject/host_run.h"
#include "inject/neighbours.h"
#include "inject/notice.h"
#include "inject/options.h"
#include "inject/session.h"

namespace deepprof {
namespace {

constexpr const char* kInjectionVariable = "CUDA_INJECTION64_PATH";

std::atomic<bool> initialized{false};
std::atomic<Session*> session{nullptr};

void finish_session() noexcept {
  if (Session* running = session.load(std::memory_order_acquire)) running->finish();
}

// Handlers run last registered first. The driver registers its own in cuInit or when the first
// context is made, and ours must come before it: so ours is registered now, and again when CUPTI
// asks for its first buffers.
void register_exit_handler() { std::atexit(&finish_session); }

// A program with rights that its user does not have (setuid, file capabilities) must not take
// orders from that user's environment, such as which library to load or where to write a file.
bool rights_are_borrowed() { return ::getauxval(AT_SECURE) != 0; }

void start_session() {
  if (rights_are_borrowed()) return;
  Options options = read_options(environ);
  const Rank rank = read_rank(environ);
  // 64 for the malloc of each thread, ring, buffers, stacks (docs/overhead.md).
  constexpr uint64_t kMapped_bytes = uint64_t{700} << 20;
  if (!get_ready(options, rank, kMapped_bytes)) return;
  if (const std::string tool = other_tool(environ); !tool.empty()) {
    return notice(tool + " holds this process: standing down");
  }
  Result<std::unique_ptr<Session>> started =
      Session::start(std::move(options), rank, &register_exit_handler);
  if (!started) return notice("capture is off: " + started.error());
  session.store(std::move(started).value().release(), std::memory_order_release);
  register_exit_handler();
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
  if (std::getenv(kHostRunVariable) == nullptr) return point_injection_at_this_file();
  try {
    start_host_run();
  } catch (...) { notice("nothing is recorded: out of memory"); }
}

}  // namespace
}  // namespace deepprof

// Called by the driver, once for each cuInit that loads us. Always 1: whatever happens here, the
// job's cuInit goes on as if we were not there.
extern "C" [[gnu::visibility("default")]] int InitializeInjection() noexcept {
  try {
    if (!deepprof::initialized.exchange(true)) deepprof::start_session();
  } catch (...) { deepprof::notice("capture is off: out of memory"); }
  return 1;
}
