#include "analysis/cli/top/live_screen.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <string_view>

namespace deepprof {
namespace {

// ECMA-48, as every terminal knows it.
constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l";  // alternate screen, no cursor
constexpr std::string_view kLeave = "\x1b[?25h\x1b[?1049l";
constexpr std::string_view kHome = "\x1b[H", kClearLine = "\x1b[K", kClearBelow = "\x1b[J";

constexpr double kLongest_s = 24 * 3600;  // a day of milliseconds is an int

termios before;
bool has_keys = false;
volatile sig_atomic_t stop = 0;

void put(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno != EINTR) return;
    if (written > 0) text.remove_prefix(static_cast<size_t>(written));
  }
}

void on_signal(int) { stop = 1; }

}  // namespace

LiveScreen::LiveScreen() {
  has_keys = ::tcgetattr(STDIN_FILENO, &before) == 0;
  if (has_keys) {
    termios raw = before;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  }
  struct sigaction action = {};
  action.sa_handler = on_signal;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
  put(kEnter);
}

LiveScreen::~LiveScreen() {
  put(kLeave);
  if (has_keys) ::tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

int LiveScreen::rows() const {
  winsize size = {};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}

void LiveScreen::show(const std::string& page) {
  std::string out(kHome);
  std::string_view rest = page;
  const int rows = this->rows();
  for (int row = 0; row < rows && !rest.empty(); ++row) {
    const size_t end = rest.find('\n');
    if (row > 0) out += "\r\n";
    out += rest.substr(0, end);
    out += kClearLine;
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  out += kClearBelow;
  put(out);
}

bool LiveScreen::wait(double seconds, char& key) {
  key = 0;
  if (stop != 0) return false;
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  const int ready =
      ::poll(&input, has_keys ? 1 : 0, static_cast<int>(std::min(seconds, kLongest_s) * 1000));
  if (stop != 0) return false;
  if (ready <= 0) return true;
  return ::read(STDIN_FILENO, &key, 1) == 1 && key != 'q';
}

}  // namespace deepprof
