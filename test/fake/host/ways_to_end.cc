#include "test/fake/host/ways_to_end.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

namespace deepprof::fake {
namespace {

struct NamedSignal {
  const char* way;
  int number;
};
constexpr NamedSignal kSignals[] = {{"abort", SIGABRT},  {"sigterm", SIGTERM}, {"sigint", SIGINT},
                                    {"sighup", SIGHUP},  {"sigkill", SIGKILL}, {"sigsegv", SIGSEGV},
                                    {"sigquit", SIGQUIT}};

}  // namespace

int end_process(Job& job, const Options& options) {
  const std::string& way = options.exit_way;
  for (const NamedSignal& signal : kSignals) {
    if (way != signal.way) continue;
    if (signal.number == SIGABRT) abort();
    raise(signal.number);
  }
  if (way == "normal") return options.exit_code;
  if (way == "exit") exit(options.exit_code);
  if (way == "_exit") _exit(options.exit_code);
  if (way == "quick_exit") quick_exit(options.exit_code);
  if (way == "exception") throw std::runtime_error("nobody catches this");
  if (way == "thread") {
    std::thread([&] {
      job.launch_once();
      exit(options.exit_code);
    }).join();
  }
  if (way == "launching") {
    std::thread([&job] {
      for (;;) job.launch_once();
    }).detach();
    return options.exit_code;
  }
  fprintf(stderr, "fake_host: --exit %s is not known\n", way.c_str());
  _exit(2);
}

}  // namespace deepprof::fake
