#include "libdeepprof/trace/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "libdeepprof/descriptor.h"
#include "libdeepprof/text.h"

namespace deepprof {

Result<OutputFile> OutputFile::create(const std::string& path) {
  const int descriptor = above_standard(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (descriptor < 0) {
    return Error{format_text("%s: cannot create the trace file: %s", path.c_str(), strerror(errno))};
  }
  struct stat info{};
  if (::fstat(descriptor, &info) != 0) {
    const int error = errno;
    ::close(descriptor);
    return Error{format_text("%s: cannot look at the trace file: %s", path.c_str(), strerror(error))};
  }
  return OutputFile(descriptor, info.st_dev, info.st_ino);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), device_(other.device_), inode_(other.inode_) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0 && is_ours()) ::close(descriptor_);
}

bool OutputFile::is_ours() const {
  struct stat info{};
  return ::fstat(descriptor_, &info) == 0 && info.st_dev == device_ && info.st_ino == inode_;
}

int OutputFile::write_at(uint64_t offset, ByteSpan bytes) {
  if (!is_ours()) return EBADF;
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
  if (!is_ours()) return;
  while (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0 && errno == EINTR) {
  }
}

}  // namespace deepprof
