#include "analysis/import/file_content.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "analysis/import/byte_stream.h"
#include "analysis/import/message.h"

namespace deepprof {
namespace {

bool is_compressed(std::string_view content) {
  return content.starts_with("\x1f\x8b") || content.starts_with("\x28\xb5\x2f\xfd");
}

}  // namespace

absl::StatusOr<FileContent> FileContent::read(const std::string& path) {
  FileContent content;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat facts = {};
  if (file < 0 || ::fstat(file, &facts) != 0) {
    const std::string why = std::strerror(errno);
    if (file >= 0) ::close(file);
    return absl::NotFoundError(concat(path, ": ", why));
  }
  if (S_ISREG(facts.st_mode) && facts.st_size > 0) {
    void* mapped =
        ::mmap(nullptr, static_cast<size_t>(facts.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped != MAP_FAILED) {
      content.mapped_ = static_cast<const char*>(mapped);
      content.size_ = static_cast<size_t>(facts.st_size);
    }
  }
  ::close(file);
  if (content.mapped_ != nullptr && !is_compressed(content.view())) return content;

  auto source = open_source(path);
  if (!source.ok()) return source.status();
  FileContent inflated;
  constexpr size_t kStep = size_t{1} << 20;
  for (;;) {
    const size_t had = inflated.inflated_.size();
    inflated.inflated_.resize(had + kStep);
    auto got = (*source)->read(inflated.inflated_.data() + had, kStep);
    if (!got.ok()) return got.status();
    inflated.inflated_.resize(had + *got);
    if (*got == 0) return inflated;
  }
}

FileContent::FileContent(FileContent&& other) noexcept
    : mapped_(std::exchange(other.mapped_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      inflated_(std::move(other.inflated_)) {}

FileContent::~FileContent() {
  if (mapped_ != nullptr) ::munmap(const_cast<char*>(mapped_), size_);
}

}  // namespace deepprof
