#include "test/fake/host/processes.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace deepprof::fake {
namespace {

constexpr int kChildFailed = 92;

template <typename Child>
bool child_ends_well(Child child) {
  const pid_t pid = fork();
  if (pid < 0) return false;
  if (pid == 0) child();
  int status = 0;
  return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

[[noreturn]] void become_true() {
  execl("/bin/true", "true", static_cast<char*>(nullptr));
  _exit(127);
}

[[noreturn]] void daemonize() {
  setsid();
  _exit(child_ends_well([] { exit(0); }) ? 0 : 1);
}

bool storm() {
  for (int i = 0; i < 100; ++i) {
    if (!child_ends_well([] { _exit(0); })) return false;
  }
  return true;
}

bool storms(const Job& job) {
  while (job.progress() < 0.95) {
    for (int i = 0; i < 20; ++i) {
      if (!child_ends_well([] { _exit(0); })) return false;
    }
    usleep(200'000);
  }
  return true;
}

}  // namespace

int run_processes(const Options& options, Job& job) {
  const std::string& what = options.process;
  bool well = true;
  if (what.empty()) return -1;
  if (what == "fork-exit") well = child_ends_well([] { exit(0); });
  else if (what == "fork-_exit") well = child_ends_well([] { _exit(0); });
  else if (what == "fork-launch")
    well = child_ends_well([&] {
      job.launch_once();
      exit(0);
    });
  else if (what == "fork-storm") well = storm();
  else if (what == "fork-storms") well = storms(job);
  else if (what == "daemon") well = child_ends_well(daemonize);
  else if (what == "spawn") well = child_ends_well(become_true);
  else if (what == "exec") job.wait(), become_true();
  else {
    fprintf(stderr, "fake_host: --process %s is not known\n", what.c_str());
    _exit(2);
  }
  return well ? -1 : kChildFailed;
}

}  // namespace deepprof::fake
