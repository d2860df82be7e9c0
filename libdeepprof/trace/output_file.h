// The file a trace is written to: positioned writes that survive EINTR and short writes.
//
// The process is somebody else's: a job that closes all its descriptors closes ours too, and the next file that
// it opens gets our number. So every write makes sure first that the number still means our file.
#pragma once

#include <sys/types.h>

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

  // The whole of `bytes` at `offset`, or the errno that stopped it; EBADF: the descriptor is no longer ours.
  int write_at(uint64_t offset, ByteSpan bytes);
  // Cuts the file to `size`; best effort, for the torn end a failed write may have left.
  void truncate(uint64_t size);

 private:
  OutputFile(int descriptor, dev_t device, ino_t inode) : descriptor_(descriptor), device_(device), inode_(inode) {}
  bool is_ours() const;

  int descriptor_;
  dev_t device_;
  ino_t inode_;
};

}  // namespace deepprof
