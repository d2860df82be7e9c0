// The file a trace is written to: positioned writes that survive EINTR and short writes.
//
// The process is somebody else's, and one of its threads creates the file: it does so without a
// descriptor, where no filter of system calls stands in the way. The thread that writes opens it at
// its first write, among descriptors of its own (capture/own_descriptors.h). Where it has to share
// the job's, a job that closes all of them closes ours, too, and the next file that it opens gets
// our number: so every write makes sure first that the number still means our file, and else opens
// it anew.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>

#include "libdeepprof/result.h"
#include "libdeepprof/trace/bytes.h"

namespace deepprof {

class OutputFile {
 public:
  // Creates `path` 0600, empty; an existing file or a link is an error.
  static Result<OutputFile> create(const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) = delete;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  // The whole of `bytes` at `offset`, or the errno that stopped it; ESTALE: another file has taken
  // its place.
  int write_at(uint64_t offset, ByteSpan bytes);
  // Cuts the file to `size`; best effort, for the torn end a failed write may have left.
  void truncate(uint64_t size);

 private:
  OutputFile(std::string path, dev_t device, ino_t inode)
      : path_(std::move(path)), device_(device), inode_(inode) {}
  bool is_ours(int descriptor) const;
  int open();

  std::string path_;
  int descriptor_ = -1;
  dev_t device_;
  ino_t inode_;
};

}  // namespace deepprof
