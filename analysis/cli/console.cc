#include "analysis/cli/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "libdeepprof/text.h"

namespace deepprof {
namespace {

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

void Console::print(std::string_view text) {
  if (write_all(STDOUT_FILENO, text)) return;
  if (errno == EPIPE) std::_Exit(0);
  say(format_text("deepprof: cannot write to stdout: %s", std::strerror(errno)));
  std::_Exit(1);
}

void Console::say(std::string_view line) {
  end_progress();
  write_all(STDERR_FILENO, std::string(line).append("\n"));
}

std::function<void(double)> Console::progress(const std::string& label) {
  if (quiet_ || ::isatty(STDERR_FILENO) == 0) return {};
  using Clock = std::chrono::steady_clock;
  static constexpr auto kPatience = std::chrono::milliseconds(500),
                        kPause = std::chrono::milliseconds(100);
  return [this, label, next = Clock::now() + kPatience](double share) mutable {
    const auto now = Clock::now();
    if (now < next) return;
    next = now + kPause;
    progress_shown_ = true;
    write_all(STDERR_FILENO, format_text("\r%s %3.0f %%", label.c_str(), 100 * share));
  };
}

void Console::end_progress() {
  if (!progress_shown_) return;
  progress_shown_ = false;
  write_all(STDERR_FILENO, "\r\x1b[K");
}

bool Console::color() const {
  const char* no_color = std::getenv("NO_COLOR");
  return ::isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == 0);
}

int Console::width() const {
  const char* told = std::getenv("COLUMNS");
  const int columns = told != nullptr ? std::atoi(told) : 0;
  if (columns > 0) return columns;
  winsize size{};
  if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

}  // namespace deepprof
