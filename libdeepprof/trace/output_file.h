// The file a trace is written to: positioned writes that survive EINTR and short writes.
#pragma once

#include <cstdint>
#include <string>

#include "libdeepprof/result.h"
#include "libdeepprof/trace/bytes.h"

namespace deepprof {

class OutputFile {
 public:
  // Creates `path` 0600; an existing file or a link is an error.
  static Result<OutputFile> create(const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) = delete;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  // The whole of `bytes` at `offset`, or the errno that stopped it.
  int write_at(uint64_t offset, ByteSpan bytes);
  // Cuts the file to `size`; best effort, for the torn end a failed write may have left.
  void truncate(uint64_t size);

 private:
  explicit OutputFile(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace deepprof
