#include "analysis/cli/unused_watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace deepprof {
namespace {

constexpr std::string_view kUnused =
    "deepprof run: the job used no GPU on this machine, so nothing is recorded, but of what it "
    "left running in the background (without a GPU: deepprof run --cpu; if it did use one, its "
    "launcher "
    "may clean the environment: deepprof run --preload; what else may be wrong: deepprof doctor)\n";
constexpr unsigned kLongestWrite_s = 2;  // where nobody reads the job's stderr any more

void close_all_but(std::initializer_list<int> kept) {
  DIR* const numbers = ::opendir("/proc/self/fd");
  if (numbers == nullptr) ::_exit(0);  // a pipe whose end we kept might never end for its reader
  std::vector<int> others;
  while (const dirent* entry = ::readdir(numbers)) {
    const int number = std::atoi(entry->d_name);
    bool keep = entry->d_name[0] == '.' || number == ::dirfd(numbers);
    for (const int wanted : kept) keep |= number == wanted;
    if (!keep) others.push_back(number);
  }
  ::closedir(numbers);
  for (const int number : others) ::close(number);
}

bool job_started(int did_not_start) {
  char byte = 0;
  ssize_t got;
  do got = ::read(did_not_start, &byte, 1);
  while (got < 0 && errno == EINTR);
  return got == 0;
}

void wait_for_end(pid_t job, int job_handle) {
  if (job_handle >= 0) {
    pollfd handle{job_handle, POLLIN, 0};
    while (::poll(&handle, 1, -1) < 0 && errno == EINTR) {}
    return;
  }
  // Before Linux 5.3.
  const timespec pause{0, 200'000'000};
  while (::kill(job, 0) == 0 || errno == EPERM) ::nanosleep(&pause, nullptr);
}

// In a session of its own: what stops the job by the terminal or its group is not meant for us.
// Some filters of system calls (seccomp) end the process at calls that they do not know: then there
// is no watch, nor a dump of its memory.
[[noreturn]] void look_on(pid_t job, const std::string& library, int did_not_start) {
  ::prctl(PR_SET_NAME, "deepprof-watch");
  ::prctl(PR_SET_DUMPABLE, 0);
  ::setsid();
  for (const int number : {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGPIPE}) ::signal(number, SIG_IGN);
  const int opened = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (opened < 0 || ::inotify_add_watch(opened, library.c_str(), IN_OPEN) < 0) ::_exit(0);
  const int job_handle = static_cast<int>(::syscall(SYS_pidfd_open, job, 0));
  [[maybe_unused]] const int moved = ::chdir("/");
  close_all_but({STDERR_FILENO, opened, did_not_start, job_handle});
  if (!job_started(did_not_start)) ::_exit(0);
  wait_for_end(job, job_handle);
  alignas(inotify_event) char events[4096];
  if (::read(opened, events, sizeof events) <= 0) {
    ::signal(SIGALRM, SIG_DFL);
    ::alarm(kLongestWrite_s);
    [[maybe_unused]] const ssize_t said = ::write(STDERR_FILENO, kUnused.data(), kUnused.size());
  }
  ::_exit(0);
}

void wait_for_other_end_to_close(int pipe) {
  char byte;
  while (::read(pipe, &byte, 1) < 0 && errno == EINTR) {}
}

}  // namespace

void UnusedWatch::start(const std::string& library) {
  const pid_t job = ::getpid();
  // The first process of a container inherits every orphan there, ours too, as its child.
  if (job == 1) return;
  int ends[2], looks_on[2];
  if (::pipe2(ends, O_CLOEXEC) != 0 || ::pipe2(looks_on, O_CLOEXEC) != 0) return;
  const pid_t between = ::fork();
  if (between == 0) {
    ::close(ends[1]);
    if (::fork() == 0) look_on(job, library, ends[0]);
    ::_exit(0);
  }
  ::close(looks_on[1]);
  if (between > 0) ::waitpid(between, nullptr, 0);
  // The job may open the library at once. The watch closes what it does not need, or has ended.
  wait_for_other_end_to_close(looks_on[0]);
  ::close(looks_on[0]);
  job_did_not_start_ = ends[1];
}

void UnusedWatch::call_off() {
  if (job_did_not_start_ < 0) return;
  [[maybe_unused]] const ssize_t told = ::write(job_did_not_start_, "x", 1);
}

}  // namespace deepprof
