// A whole file in memory, for formats that cannot be read in one pass: mapped where it is plain, so
// that the kernel may drop its pages again, inflated where it is compressed.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace deepprof {

class FileContent {
 public:
  // Errors are one line that names the file.
  static absl::StatusOr<FileContent> read(const std::string& path);
  FileContent(FileContent&& other) noexcept;
  FileContent& operator=(FileContent&&) = delete;
  ~FileContent();

  std::string_view view() const {
    return mapped_ != nullptr ? std::string_view(mapped_, size_) : inflated_;
  }

 private:
  FileContent() = default;

  const char* mapped_ = nullptr;
  size_t size_ = 0;
  std::string inflated_;
};

}  // namespace deepprof
