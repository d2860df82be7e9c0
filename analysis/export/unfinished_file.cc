#include "analysis/export/unfinished_file.h"

#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>

namespace deepprof {
namespace {

struct EndingSignal {
  int number;
  struct sigaction before {};
};
std::array<EndingSignal, 4> signals{{{SIGINT}, {SIGTERM}, {SIGHUP}, {SIGQUIT}}};
std::string unfinished;  // its bytes stay where they are while the handlers may run

sigset_t set_of_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const EndingSignal& each : signals) ::sigaddset(&set, each.number);
  return set;
}

extern "C" void take_away(int number) {
  ::unlink(unfinished.c_str());
  ::raise(number);  // for which there is no handler any more: it ends the command
}

}  // namespace

void UnfinishedFile::watch(const std::string& path, const std::function<bool()>& create) {
  const sigset_t ending = set_of_signals();
  sigset_t before;
  ::pthread_sigmask(SIG_BLOCK, &ending, &before);
  if (create()) {
    watching_ = true;
    unfinished = std::filesystem::absolute(path).string();
    for (EndingSignal& each : signals) {
      struct sigaction handler {};
      handler.sa_handler = &take_away;
      handler.sa_flags = static_cast<int>(SA_RESETHAND);
      ::sigaction(each.number, nullptr, &each.before);
      // What the command was started to ignore (nohup) does not end it.
      if (each.before.sa_handler == SIG_DFL) ::sigaction(each.number, &handler, nullptr);
    }
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void UnfinishedFile::finished() {
  if (!watching_) return;
  watching_ = false;
  for (const EndingSignal& each : signals) ::sigaction(each.number, &each.before, nullptr);
}

}  // namespace deepprof
