#include "analysis/export/sink.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "analysis/import/message.h"
#include "libdeepprof/descriptor.h"

namespace deepprof {
namespace {

constexpr size_t kBufferBytes = 256 * 1024;

// What may be written to though it is there: nothing is lost by it.
bool is_device_or_pipe(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && (S_ISCHR(info.st_mode) || S_ISFIFO(info.st_mode));
}

std::string cannot_create(const std::string& path, int error) {
  return concat("cannot create ", path, ": ", std::strerror(error),
                error == EEXIST ? "; give another name, or remove it first" : "");
}

}  // namespace

std::string why_not_created(const std::string& path) {
  if (path == "-" || is_device_or_pipe(path)) return {};
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0) return cannot_create(path, EEXIST);
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  return ::access(folder.c_str(), W_OK | X_OK) == 0 ? std::string() : cannot_create(path, errno);
}

Sink::Sink(const std::string& path) : path_(path) {
  if (path == "-") {
    file_ = STDOUT_FILENO;
    return;
  }
  int failed = 0;
  if (is_device_or_pipe(path)) {
    file_ = above_standard(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file_ < 0) failed = errno;
  } else {
    failed = unfinished_.begin(path, [&](const std::string& name) {
      file_ = above_standard(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
      return file_ >= 0;
    });
  }
  if (failed != 0) status_ = bad_input(cannot_create(path, failed));
  if (is_gzip_name(path)) gzip_ = std::make_unique<Gzip>();
}

Sink::~Sink() {
  if (file_ >= 0 && file_ != STDOUT_FILENO) ::close(file_);
}

void Sink::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) flush(false);
}

void Sink::flush(bool last) {
  if (gzip_ == nullptr) {
    put(buffer_);
  } else {
    const auto put_on = [this](std::string_view bytes) { put(bytes); };
    const bool compressed = gzip_->add(buffer_, put_on) && (!last || gzip_->finish(put_on));
    if (!compressed && status_.ok()) status_ = damaged_input("cannot compress ", path_);
  }
  buffer_.clear();
}

void Sink::put(std::string_view rest) {
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
}

absl::Status Sink::finish() {
  flush(true);
  int failed = 0;
  if (file_ >= 0 && file_ != STDOUT_FILENO && ::close(file_) != 0) failed = errno;
  file_ = -1;
  if (failed != 0 || !status_.ok()) unfinished_.take_away();
  else failed = unfinished_.finish();
  if (failed != 0 && status_.ok())
    status_ = damaged_input("cannot write ", path_, ": ", std::strerror(failed));
  return status_;
}

}  // namespace deepprof
