#include "libdeepprof/trace/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "libdeepprof/text.h"

namespace deepprof {

size_t MemorySource::read_at(uint64_t offset, std::span<uint8_t> out) const {
  if (offset >= bytes_.size()) return 0;
  const size_t count = std::min<uint64_t>(out.size(), bytes_.size() - offset);
  std::copy_n(bytes_.begin() + static_cast<ptrdiff_t>(offset), count, out.begin());
  return count;
}

Result<InputFile> InputFile::open(const std::string& path) {
  // O_NONBLOCK: a FIFO must be refused, not waited for.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    return Error{format_text("%s: cannot open: %s", path.c_str(), strerror(errno))};
  }
  struct stat status;
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor);
    return Error{format_text("%s: expected a .dprof file, found %s", path.c_str(),
                             S_ISDIR(status.st_mode) ? "a folder" : "no regular file")};
  }
  return InputFile(descriptor, static_cast<uint64_t>(status.st_size));
}

InputFile::InputFile(InputFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

size_t InputFile::read_at(uint64_t offset, std::span<uint8_t> out) const {
  size_t done = 0;
  while (done < out.size()) {
    const ssize_t count = ::pread(descriptor_, out.data() + done, out.size() - done,
                                  static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += static_cast<size_t>(count);
  }
  return done;
}

}  // namespace deepprof
