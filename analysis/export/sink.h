// Where an exporter writes: a new file or stdout, buffered. The first error is kept; what follows
// it is dropped, so exporters need not check every call.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace deepprof {

class Sink {
 public:
  // "-": stdout. Files are created, never overwritten.
  explicit Sink(const std::string& path);
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  ~Sink();

  void write(std::string_view text);
  // Writes what is buffered and closes; the first error of all.
  absl::Status finish();
  uint64_t bytes() const { return bytes_; }

 private:
  void flush();

  std::string path_;
  std::string buffer_;
  int file_ = -1;
  uint64_t bytes_ = 0;
  absl::Status status_;
};

}  // namespace deepprof
