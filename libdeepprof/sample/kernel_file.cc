#include "libdeepprof/sample/kernel_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "libdeepprof/capture/own_descriptors.h"
#include "libdeepprof/descriptor.h"

namespace deepprof {
namespace {

// Whether a descriptor is one of the lower half, so that what is opened later finds room, too.
bool leaves_room(int file) {
  constexpr rlim_t kMost = 200;
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
         static_cast<rlim_t>(file) < std::min(kMost, limit.rlim_cur / 2);
}

}  // namespace

KernelFile::KernelFile(KernelFile&& other) noexcept
    : path_(std::move(other.path_)), kept_(std::exchange(other.kept_, -1)), again_(other.again_) {}

KernelFile::~KernelFile() {
  if (kept_ >= 0) ::close(kept_);
}

int KernelFile::open() {
  if (kept_ >= 0) return kept_;
  const int file = above_standard(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (std::exchange(again_, true) && file >= 0 && OwnDescriptors::here() && leaves_room(file))
    kept_ = file;
  return file;
}

std::optional<std::string_view> KernelFile::read() {
  const int file = open();
  if (file < 0) return {};
  const size_t room = buffer_.size() - 1;
  size_t size = 0;
  ssize_t got = 0;
  while (size < room) {
    got = ::pread(file, buffer_.data() + size, room - size, static_cast<off_t>(size));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size += static_cast<size_t>(got);
    // Files that are read again and again hold one record, which comes whole.
    if (kept_ >= 0) break;
  }
  const int error = errno;
  // A device that came back has another file under its name.
  if (got < 0) kept_ = -1;
  if (kept_ < 0) ::close(file);
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
