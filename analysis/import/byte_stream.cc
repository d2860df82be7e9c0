#include "analysis/import/byte_stream.h"
#include "analysis/import/message.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace deepprof {
namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

absl::Status cannot_open(const std::string& path, int error) {
  if (path == "-" && error == ENOENT)
    return bad_input("-: standard input is not read: save the trace to a file, and give that");
  return bad_input("cannot open ", path, ": ", std::strerror(error));
}

}  // namespace

absl::StatusOr<std::unique_ptr<FileSource>> FileSource::open(const std::string& path) {
  // Without waiting for somebody to write into a pipe.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return cannot_open(path, errno);
  struct stat info {};
  if (::fstat(file, &info) != 0) {
    const int error = errno;
    ::close(file);
    return cannot_open(path, error);
  }
  if (!S_ISREG(info.st_mode)) {
    ::close(file);
    return bad_input(path, S_ISDIR(info.st_mode) ? " is a folder: expected a trace file"
                           : S_ISFIFO(info.st_mode)
                               ? " is a pipe: a trace is read more than once, "
                                 "so save it to a file, and give that"
                               : " is no ordinary file: expected a trace file");
  }
  ::posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL);
  return std::unique_ptr<FileSource>(
      new FileSource(path, file, static_cast<uint64_t>(info.st_size)));
}

FileSource::~FileSource() { ::close(file_); }

absl::StatusOr<size_t> FileSource::read(char* to, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t got = ::read(file_, to + done, size - done);
    if (got == 0) break;
    if (got < 0) {
      if (errno == EINTR) continue;
      return damaged_input("cannot read ", path_, " at byte ", position_, ": ",
                           std::strerror(errno));
    }
    done += static_cast<size_t>(got);
    position_ += static_cast<uint64_t>(got);
  }
  return done;
}

double FileSource::progress() const {
  return size_ == 0 ? 1
                    : std::min(1.0, static_cast<double>(position_) / static_cast<double>(size_));
}

absl::Status FileSource::rewind() {
  if (::lseek(file_, 0, SEEK_SET) != 0) {
    return bad_input(path_, " is not a regular file: expected a trace file");
  }
  position_ = 0;
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<ByteStream>> open_source(const std::string& path) {
  auto file = FileSource::open(path);
  if (!file.ok()) return file.status();
  char head[4] = {};
  auto got = (*file)->read(head, sizeof(head));
  if (!got.ok()) return got.status();
  if (*got == 0) return bad_input(path, " is empty (0 bytes): expected a trace");
  if (absl::Status rewound = (*file)->rewind(); !rewound.ok()) return rewound;

  const std::string_view magic(head, *got);
  if (magic.substr(0, 2) == kGzipMagic) return make_gzip_source(std::move(*file));
  if (magic == kZstdMagic) return make_zstd_source(std::move(*file));
  return std::move(*file);
}

}  // namespace deepprof
