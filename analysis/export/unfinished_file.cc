#include "analysis/export/unfinished_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <string_view>

#include "libdeepprof/text.h"

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

extern "C" void take_away_and_end(int number) {
  ::unlink(unfinished.c_str());
  ::raise(number);  // for which there is no handler any more: it ends the command
}

constexpr std::string_view kStem = "deepprof.tmp";

// 0: no file has the name, and one may get it.
int taken(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0) return EEXIST;
  return errno == ENOENT ? 0 : errno;
}

// Short, so that the name that the file will have may be as long as the file system allows. The
// number of a killed process may be ours now.
int create_beside(const std::string& path, const std::function<bool(const std::string&)>& create) {
  constexpr int kMostNumbers = 1000;
  if (const int why = taken(path); why != 0) return why;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (int number = 0; number < kMostNumbers; ++number) {
    unfinished = (folder / kStem).string() + std::to_string(::getpid());
    if (number > 0) append_text(unfinished, ".%d", number);
    errno = 0;
    if (create(unfinished)) return 0;
    if (errno != EEXIST) break;
  }
  return errno != 0 ? errno : EIO;
}

// link() fails where the name is taken, rename() would replace what is there.
int give_name(const std::string& path) {
  if (::link(unfinished.c_str(), path.c_str()) == 0) {
    ::unlink(unfinished.c_str());
    return 0;
  }
  const bool no_hard_links = errno == EPERM || errno == ENOTSUP || errno == ENOSYS;
  if (!no_hard_links) return errno;
  if (const int why = taken(path); why != 0) return why;
  return ::rename(unfinished.c_str(), path.c_str()) == 0 ? 0 : errno;
}

}  // namespace

bool is_unfinished(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  return name.starts_with(kStem) &&
         name.find_first_not_of("0123456789.", kStem.size()) == std::string::npos;
}

int UnfinishedFile::begin(const std::string& path,
                          const std::function<bool(const std::string&)>& create) {
  const sigset_t ending = set_of_signals();
  sigset_t before;
  ::pthread_sigmask(SIG_BLOCK, &ending, &before);
  const int failed = create_beside(path, create);
  if (failed == 0) {
    watching_ = true;
    path_ = path;
    for (EndingSignal& each : signals) {
      struct sigaction handler {};
      handler.sa_handler = &take_away_and_end;
      handler.sa_flags = static_cast<int>(SA_RESETHAND);
      ::sigaction(each.number, nullptr, &each.before);
      // What the command was started to ignore (nohup) does not end it.
      if (each.before.sa_handler == SIG_DFL) ::sigaction(each.number, &handler, nullptr);
    }
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return failed;
}

int UnfinishedFile::finish() {
  if (!watching_) return 0;
  const int failed = give_name(path_);
  if (failed != 0) ::unlink(unfinished.c_str());
  stop_watching();
  return failed;
}

void UnfinishedFile::take_away() {
  if (!watching_) return;
  ::unlink(unfinished.c_str());
  stop_watching();
}

void UnfinishedFile::stop_watching() {
  watching_ = false;
  for (const EndingSignal& each : signals) ::sigaction(each.number, &each.before, nullptr);
}

}  // namespace deepprof
