#include "libdeepprof/sample/kernel_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

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

std::vector<int64_t> numbers_of(std::string_view line) {
  std::vector<int64_t> numbers;
  const char* at = line.data();
  const char* const end = at + line.size();
  while (true) {
    while (at != end && (*at == ' ' || *at == '\t')) ++at;
    int64_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc()) return numbers;
    numbers.push_back(number);
    at = next;
  }
}

std::vector<int64_t> numbers_behind_state(std::string_view text) {
  constexpr std::string_view kBetween = ") S ";
  const size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos || name_end + kBetween.size() > text.size()) return {};
  return numbers_of(text.substr(name_end + kBetween.size()));
}

std::string_view line_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.substr(0, key.size()) == key) return line.substr(key.size());
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return {};
}

}  // namespace deepprof
