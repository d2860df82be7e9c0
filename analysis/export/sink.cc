#include "analysis/export/sink.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "analysis/import/message.h"
#include "libdeepprof/descriptor.h"

namespace deepprof {
namespace {

constexpr size_t kBufferBytes = 256 * 1024;

}  // namespace

Sink::Sink(const std::string& path) : path_(path) {
  if (path == "-") {
    file_ = STDOUT_FILENO;
    return;
  }
  file_ = above_standard(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file_ < 0) status_ = bad_input("cannot create ", path, ": ", std::strerror(errno));
}

Sink::~Sink() {
  if (file_ >= 0 && file_ != STDOUT_FILENO) ::close(file_);
}

void Sink::write(std::string_view text) {
  buffer_ += text;
  bytes_ += text.size();
  if (buffer_.size() >= kBufferBytes) flush();
}

void Sink::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty() && status_.ok()) {
    const ssize_t written = ::write(file_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EPIPE) {
      std::_Exit(0);  // the reader has seen what it wanted
    } else if (errno != EINTR) {
      status_ = damaged_input("cannot write ", path_, ": ", std::strerror(errno));
    }
  }
  buffer_.clear();
}

absl::Status Sink::finish() {
  flush();
  if (file_ >= 0 && file_ != STDOUT_FILENO && ::close(file_) != 0 && status_.ok()) {
    status_ = damaged_input("cannot write ", path_, ": ", std::strerror(errno));
  }
  file_ = -1;
  return status_;
}

}  // namespace deepprof
