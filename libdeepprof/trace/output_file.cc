#include "libdeepprof/trace/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "libdeepprof/text.h"

namespace deepprof {

Result<OutputFile> OutputFile::create(const std::string& path) {
  const int descriptor =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    return Error{format_text("%s: cannot create the trace file: %s", path.c_str(), strerror(errno))};
  }
  return OutputFile(descriptor);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int OutputFile::write_at(uint64_t offset, ByteSpan bytes) {
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
  while (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0 && errno == EINTR) {
  }
}

}  // namespace deepprof
