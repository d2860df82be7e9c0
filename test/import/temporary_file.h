// A file with given content that is gone when the test is.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

namespace deepprof::test {

class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view content) {
    const char* folder = std::getenv("TMPDIR");
    path_ = std::string(folder != nullptr ? folder : "/tmp") + "/deepprof_test_XXXXXX";
    const int file = ::mkstemp(path_.data());
    if (file >= 0) ::close(file);
    std::ofstream(path_, std::ios::binary) << content;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { ::unlink(path_.c_str()); }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace deepprof::test
