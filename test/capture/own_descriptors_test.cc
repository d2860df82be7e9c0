#include "libdeepprof/capture/own_descriptors.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <latch>
#include <thread>

#include "libdeepprof/capture/clock.h"
#include "libdeepprof/capture/worker_thread.h"
#include "test/support/catch.h"
#include "test/support/system_call_filter.h"

namespace deepprof {
namespace {

constexpr int64_t kMinute_ns = 60'000'000'000;

bool is_open(int number) { return ::fcntl(number, F_GETFD) >= 0; }

}  // namespace

TEST_CASE(
    "a thread with descriptors of its own keeps none of the job's open, and the job sees none of "
    "its") {
  for (const auto leave : {&leave_descriptors_by_close_range, &leave_descriptors_by_unshare}) {
    int pipe[2];
    REQUIRE(::pipe(pipe) == 0);
    std::latch left(1), looked(1);
    bool able = false, sees_jobs = true;
    int own = -1;
    std::thread thread([&] {
      able = leave();
      sees_jobs = is_open(pipe[0]) || is_open(STDERR_FILENO);
      own = ::fcntl(::open("/dev/null", O_RDONLY | O_CLOEXEC), F_DUPFD_CLOEXEC, 500);
      left.count_down();
      looked.wait();
    });
    left.wait();
    const bool seen_by_job = is_open(own);
    ::close(pipe[1]);
    // Blocks for ever where a copy of the other end is still open.
    char byte = 0;
    const ssize_t got = able ? ::read(pipe[0], &byte, 1) : 0;
    looked.count_down();
    thread.join();
    ::close(pipe[0]);
    if (!able) {
      WARN("refused here: threads of ours stay with the job's descriptors");
      continue;
    }
    CHECK(got == 0);
    CHECK_FALSE(sees_jobs);
    CHECK_FALSE(seen_by_job);
  }
}

TEST_CASE("nor does it keep open what the job opened before it lowered its limit of open files") {
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  for (const auto leave : {&leave_descriptors_by_close_range, &leave_descriptors_by_unshare}) {
    const int high = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 200);
    REQUIRE(high >= 200);
    const rlimit lower{100, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &lower) == 0);
    bool able = false, keeps = true;
    std::thread([&] {
      able = leave();
      keeps = is_open(high);
    }).join();
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK(is_open(high));
    ::close(high);
    if (able) CHECK_FALSE(keeps);
  }
}

TEST_CASE("however high the limit of open files, only those that are open are closed") {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    std::thread([] {
      constexpr uint32_t kBeyondOpen = 3000;  // the least hard limit that is usual is 4096
      if (test::end_process_at({SYS_close}, kBeyondOpen)) leave_descriptors_by_unshare();
    }).join();
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("what a thread of ours closes by number is never the job's") {
  const int jobs = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  bool own = false, here_too = true;
  WorkerThread with_own, with_jobs;
  REQUIRE(with_own.start("own", WorkerThread::Descriptors::own, [&] {
    own = OwnDescriptors::here();
    if (own) ::close(jobs);
  }));
  REQUIRE(with_jobs.start("jobs", WorkerThread::Descriptors::jobs,
                          [&] { here_too = OwnDescriptors::here(); }));
  REQUIRE(with_own.wait_until(monotonic_ns() + kMinute_ns));
  REQUIRE(with_jobs.wait_until(monotonic_ns() + kMinute_ns));
  if (!own) WARN("refused here: threads of ours stay with the job's descriptors");
  CHECK(is_open(jobs));
  CHECK_FALSE(here_too);
  CHECK_FALSE(OwnDescriptors::here());
  ::close(jobs);
}

}  // namespace deepprof
