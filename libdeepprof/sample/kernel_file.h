// Small text files of the kernel, /proc and /sys: read whole, each time anew. What is read again is
// kept open, but only among descriptors of our own (own_descriptors.h): a job that closes all of
// its and opens others would have us read those.
//
// Paths begin with a root, "" on a machine and a folder of frozen files in tests.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libdeepprof/proc_text.h"

namespace deepprof {

class KernelFile {
 public:
  explicit KernelFile(std::string path) : path_(std::move(path)) {}
  KernelFile(KernelFile&& other) noexcept;
  KernelFile& operator=(KernelFile&&) = delete;
  KernelFile(const KernelFile&) = delete;
  KernelFile& operator=(const KernelFile&) = delete;
  ~KernelFile();

  // Its first 4095 bytes, valid until the next read; nothing where it cannot be read (errno says
  // why).
  std::optional<std::string_view> read();
  // Where it holds one number.
  std::optional<int64_t> read_number();

  const std::string& path() const { return path_; }

 private:
  int open();

  std::string path_;
  int kept_ = -1;
  bool again_ = false;  // it has been read before
  std::array<char, 4096> buffer_;
};

// Names in a folder that begin with `prefix`, sorted. Empty where there is none.
std::vector<std::string> names_in(const std::string& folder, std::string_view prefix);

}  // namespace deepprof
