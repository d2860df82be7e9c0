#include "inject/notice.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <ctime>
#include <mutex>
#include <string>
#include <utility>

#include "inject/log.h"
#include "libdeepprof/capture/clock.h"
#include "libdeepprof/capture/own_descriptors.h"

namespace deepprof {
namespace {

constexpr int64_t kNoticePatience_ns = 200'000'000;

// While it lives, writing to a pipe without a reader fails instead of raising SIGPIPE in this thread.
class NoBrokenPipeSignal {
 public:
  NoBrokenPipeSignal() {
    sigset_t pending;
    was_pending_ = ::sigpending(&pending) == 0 && ::sigismember(&pending, SIGPIPE) == 1;
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoBrokenPipeSignal() {
    // Takes back the signal that we caused, and only that one.
    const timespec now{};
    if (!was_pending_) ::sigtimedwait(&pipe_, nullptr, &now);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoBrokenPipeSignal(const NoBrokenPipeSignal&) = delete;
  NoBrokenPipeSignal& operator=(const NoBrokenPipeSignal&) = delete;

 private:
  sigset_t pipe_, before_;
  bool was_pending_ = false;
};

bool writable_before(int64_t deadline_ns) {
  pollfd stderr_poll{STDERR_FILENO, POLLOUT, 0};
  const int64_t left_ms = std::max<int64_t>(0, (deadline_ns - monotonic_ns()) / 1'000'000);
  const int ready = ::poll(&stderr_poll, 1, static_cast<int>(std::min<int64_t>(left_ms, 10'000)));
  return ready == 1 && (stderr_poll.revents & POLLOUT) != 0;
}

// What threads without a stderr have to say.
struct Kept {
  std::mutex mutex;
  std::string text;
  std::atomic<bool> any{false};
};

// Made at its first use and never destroyed: the library's constructor starts threads before other static objects are
// there, and they may outlive them.
Kept& kept() {
  static Kept& all = *new Kept;
  return all;
}

void keep(std::string_view text) noexcept {
  constexpr size_t kMost_bytes = size_t{64} << 10;
  try {
    Kept& all = kept();
    const std::lock_guard lock(all.mutex);
    if (all.text.size() + text.size() > kMost_bytes) return;
    all.text += text;
    all.any.store(true);
  } catch (...) {
    // No memory for one line: there is nobody to tell.
  }
}

}  // namespace

void write_stderr(std::string_view text, int64_t deadline_ns) noexcept {
  if (OwnDescriptors::here()) return keep(text);
  const NoBrokenPipeSignal guard;
  while (!text.empty() && writable_before(deadline_ns)) {
    // A pipe that polls writable takes PIPE_BUF bytes without blocking.
    const ssize_t written = ::write(STDERR_FILENO, text.data(), std::min<size_t>(text.size(), PIPE_BUF));
    if (written <= 0) return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

void say_what_was_kept() noexcept {
  Kept& all = kept();
  if (!all.any.exchange(false)) return;
  std::string text;
  {
    const std::lock_guard lock(all.mutex);
    text.swap(all.text);
  }
  write_stderr(text, monotonic_ns() + kNoticePatience_ns);
}

void notice(std::string_view sentence) noexcept {
  try {
    log_line(sentence);
    std::string line = "deepprof: ";
    line.append(sentence).append("\n");
    write_stderr(line, monotonic_ns() + kNoticePatience_ns);
  } catch (...) {
    // No memory for one line: there is nobody to tell.
  }
}

}  // namespace deepprof
