#include "libdeepprof/capture/process_guard.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>

namespace deepprof {
namespace {

std::atomic<bool> guarded{false};
std::atomic<pid_t> guarded_pid{0};
std::atomic<bool> handler_registered{false};

void forget_in_child() { guarded.store(false, std::memory_order_relaxed); }

}  // namespace

void guard_this_process() {
  guarded_pid.store(::getpid());
  guarded.store(true);
  if (!handler_registered.exchange(true)) ::pthread_atfork(nullptr, nullptr, &forget_in_child);
}

bool in_guarded_process() noexcept { return guarded.load(std::memory_order_relaxed); }

bool in_guarded_process_by_pid() noexcept {
  return in_guarded_process() && ::getpid() == guarded_pid.load();
}

}  // namespace deepprof
