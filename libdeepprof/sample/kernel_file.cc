#include "libdeepprof/sample/kernel_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "libdeepprof/descriptor.h"

namespace deepprof {

std::optional<std::string_view> KernelFile::read() {
  const int file = above_standard(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (file < 0) return {};
  size_t size = 0;
  ssize_t got = 0;
  while (size < buffer_.size() - 1) {
    got = ::read(file, buffer_.data() + size, buffer_.size() - 1 - size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size += static_cast<size_t>(got);
  }
  const int error = errno;
  ::close(file);
  errno = error;
  if (got < 0 && size == 0) return {};
  return std::string_view(buffer_.data(), size);
}

std::optional<int64_t> KernelFile::read_number() {
  const std::optional<std::string_view> text = read();
  if (!text) return {};
  const std::vector<int64_t> numbers = numbers_of(*text);
  if (numbers.empty()) return {};
  return numbers.front();
}

std::vector<std::string> names_in(const std::string& folder, std::string_view prefix) {
  std::vector<std::string> names;
  DIR* open = ::opendir(folder.c_str());
  if (open == nullptr) return names;
  while (const dirent* entry = ::readdir(open)) {
    const std::string_view name = entry->d_name;
    if (name.substr(0, prefix.size()) == prefix) names.emplace_back(name);
  }
  ::closedir(open);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace deepprof
