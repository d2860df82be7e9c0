#include "libdeepprof/sample/fork_gate.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "libdeepprof/capture/clock.h"
#include "test/support/catch.h"

namespace deepprof {
namespace {

// True: in the child the gate opens at once.
bool child_passes() {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);  // a child that hangs ends by a signal
    { const ForkGate gate; }
    // not _exit(): a sanitizer's own would report the threads that a fork loses
    ::syscall(SYS_exit_group, 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE("a fork waits for the call under way, and its child is not shut out") {
  ForkGate::install();
  std::atomic<bool> inside{false}, left{false};
  std::thread caller([&] {
    const ForkGate gate;
    inside = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    left = true;
  });
  while (!inside) {}
  CHECK(child_passes());
  CHECK(left);
  caller.join();
}

TEST_CASE("a fork gives a call that hangs up after a moment") {
  ForkGate::install();
  std::atomic<bool> inside{false}, go{false};
  std::thread caller([&] {
    const ForkGate gate;
    inside = true;
    while (!go) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  while (!inside) {}
  const int64_t began_ns = monotonic_ns();
  CHECK(child_passes());
  CHECK(monotonic_ns() - began_ns >= ForkGate::kLongest_ns);
  go = true;
  caller.join();
  const ForkGate gate;  // and the parent's calls go on
}

}  // namespace deepprof
