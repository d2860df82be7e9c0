#include "inject/notice.h"

#include <sys/select.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <ctime>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "inject/log.h"
#include "inject/write_signals_off.h"
#include "libdeepprof/capture/clock.h"
#include "libdeepprof/capture/own_descriptors.h"

namespace deepprof {
namespace {

constexpr int64_t kNoticePatience_ns = 200'000'000;

// select(), because poll() refuses even one descriptor where the job's limit of open files is 0.
bool writable_before(int64_t deadline_ns) {
  while (true) {
    const int64_t left_us =
        std::clamp<int64_t>((deadline_ns - monotonic_ns()) / 1000, 0, 10'000'000);
    timeval left{left_us / 1'000'000, left_us % 1'000'000};
    fd_set streams;
    FD_ZERO(&streams);
    FD_SET(STDERR_FILENO, &streams);
    const int ready = ::select(STDERR_FILENO + 1, nullptr, &streams, nullptr, &left);
    if (ready < 0 && errno == EINTR && monotonic_ns() < deadline_ns) continue;
    return ready == 1;
  }
}

// What threads without a stderr have to say.
struct Kept {
  std::mutex mutex;
  std::string text;
  std::atomic<bool> any{false};
};

// Made at its first use, without memory that may not be there, and never destroyed: the library's
// constructor starts threads before other static objects are there, and they may outlive them.
Kept& kept() noexcept {
  alignas(Kept) static std::byte place[sizeof(Kept)];
  static Kept& all = *::new (place) Kept;
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
  const WriteSignalsOff guard;
  while (!text.empty() && writable_before(deadline_ns)) {
    // A pipe that polls writable takes PIPE_BUF bytes without blocking.
    const ssize_t written =
        ::write(STDERR_FILENO, text.data(), std::min<size_t>(text.size(), PIPE_BUF));
    if (written < 0 && errno == EINTR) continue;
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
