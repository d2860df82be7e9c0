#include "libdeepprof/trace/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "libdeepprof/descriptor.h"
#include "libdeepprof/system_calls.h"
#include "libdeepprof/text.h"

namespace deepprof {

namespace {

bool create_empty(const char* path) {
  if (!system_calls_are_filtered()) {
    // A call, because mknod() is of glibc 2.33.
    if (::syscall(SYS_mknodat, AT_FDCWD, path, S_IFREG | 0600, 0) == 0) return true;
    if (errno == EEXIST) return false;
    // Not every file system of a user's program knows that call.
  }
  const int descriptor = ::open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0) return false;
  ::close(descriptor);
  return true;
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::string& path) {
  struct stat info {};
  if (!create_empty(path.c_str()) || ::lstat(path.c_str(), &info) != 0) {
    return Error{
        format_text("%s: cannot create the trace file: %s", path.c_str(), strerror(errno))};
  }
  return OutputFile(path, info.st_dev, info.st_ino);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      device_(other.device_),
      inode_(other.inode_) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0 && is_ours(descriptor_)) ::close(descriptor_);
}

bool OutputFile::is_ours(int descriptor) const {
  struct stat info {};
  return ::fstat(descriptor, &info) == 0 && info.st_dev == device_ && info.st_ino == inode_;
}

int OutputFile::open() {
  if (descriptor_ >= 0 && is_ours(descriptor_)) return 0;
  descriptor_ = -1;  // the job's by now: not ours to close
  const int opened =
      above_standard(::open(path_.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (opened < 0) return errno;
  if (is_ours(opened)) {
    descriptor_ = opened;
    return 0;
  }
  ::close(opened);
  return ESTALE;
}

int OutputFile::write_at(uint64_t offset, ByteSpan bytes) {
  if (const int reason = open(); reason != 0) return reason;
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    if (written == 0) return EIO;
    offset += static_cast<uint64_t>(written);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return 0;
}

void OutputFile::truncate(uint64_t size) {
  if (open() != 0) return;
  while (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0 && errno == EINTR) {}
}

}  // namespace deepprof
