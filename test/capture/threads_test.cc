#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "libdeepprof/capture/clock.h"
#include "libdeepprof/capture/doorbell.h"
#include "libdeepprof/capture/process_guard.h"
#include "libdeepprof/capture/worker_thread.h"
#include "test/support/catch.h"

namespace deepprof {
namespace {

constexpr int64_t kSecond_ns = 1'000'000'000;

}  // namespace

TEST_CASE("a bell that rang before the wait is not missed") {
  Doorbell bell;
  bell.ring();
  const int64_t before = monotonic_ns();
  bell.wait_for(10 * kSecond_ns);
  CHECK(monotonic_ns() - before < kSecond_ns);
}

TEST_CASE("a bell wakes a waiting thread, and silence ends with the time") {
  Doorbell bell;
  const int64_t before = monotonic_ns();
  bell.wait_for(20'000'000);
  CHECK(monotonic_ns() - before >= 20'000'000);

  std::thread ringer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    bell.ring();
  });
  bell.wait_for(20 * kSecond_ns);
  CHECK(monotonic_ns() - before < 10 * kSecond_ns);
  ringer.join();
}

TEST_CASE("a worker thread has every signal blocked and leaves the caller's mask alone") {
  sigset_t before, after, inside;
  pthread_sigmask(SIG_BLOCK, nullptr, &before);
  WorkerThread thread;
  REQUIRE(thread.start("worker", WorkerThread::Descriptors::jobs,
                       [&] { pthread_sigmask(SIG_BLOCK, nullptr, &inside); }));
  REQUIRE(thread.wait_until(monotonic_ns() + 10 * kSecond_ns));
  pthread_sigmask(SIG_BLOCK, nullptr, &after);
  for (const int signal : {SIGTERM, SIGINT, SIGPIPE, SIGXFSZ, SIGPROF, SIGCHLD}) {
    CHECK(sigismember(&inside, signal) == 1);
    CHECK(sigismember(&after, signal) == sigismember(&before, signal));
  }
}

TEST_CASE("waiting for a worker that does not end gives up in time") {
  std::atomic<bool> let_go{false};
  {
    WorkerThread thread;
    REQUIRE(thread.start("stuck", WorkerThread::Descriptors::jobs, [&] {
      while (!let_go.load()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }));
    const int64_t before = monotonic_ns();
    CHECK_FALSE(thread.wait_until(before + 50'000'000));
    CHECK(monotonic_ns() - before < 5 * kSecond_ns);
    let_go = true;
    CHECK(thread.wait_until(monotonic_ns() + 10 * kSecond_ns));
  }
}

TEST_CASE("a thread that was never started is waited for in no time") {
  WorkerThread thread;
  CHECK(thread.wait_until(0));
}

TEST_CASE("a forked child is not the guarded process") {
  guard_this_process();
  CHECK(in_guarded_process());
  CHECK(in_guarded_process_by_pid());
  const pid_t child = fork();
  if (child == 0) _exit(in_guarded_process() || in_guarded_process_by_pid() ? 1 : 0);
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(in_guarded_process());
}

}  // namespace deepprof
