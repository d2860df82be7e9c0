// A file as a stream of bytes, decompressed on the way (gzip, zstd) when its first bytes say so.
// Used by the importers that read text; one thread, no seeking, memory of a few buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace deepprof {

class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // Fills up to `size` bytes; fewer only at the end, where it returns 0. An error names the file
  // and the offset in it.
  virtual absl::StatusOr<size_t> read(char* to, size_t size) = 0;

  // Share of the file's own bytes that have been read, 0..1.
  virtual double progress() const = 0;
};

// A plain file: read() and position, for the decompressors and for uncompressed input.
class FileSource final : public ByteStream {
 public:
  static absl::StatusOr<std::unique_ptr<FileSource>> open(const std::string& path);
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  ~FileSource() override;

  absl::StatusOr<size_t> read(char* to, size_t size) override;
  double progress() const override;
  absl::Status rewind();

  const std::string& path() const { return path_; }
  uint64_t position() const { return position_; }
  uint64_t size() const { return size_; }

 private:
  FileSource(std::string path, int file, uint64_t size)
      : path_(std::move(path)), file_(file), size_(size) {}

  std::string path_;
  int file_;
  uint64_t size_;
  uint64_t position_ = 0;
};

// The family of decompressors. Each takes a file positioned at its start.
std::unique_ptr<ByteStream> make_gzip_source(std::unique_ptr<FileSource> file);
std::unique_ptr<ByteStream> make_zstd_source(std::unique_ptr<FileSource> file);

// Opens a file for reading its content. Folders, missing and empty files are errors that say so.
absl::StatusOr<std::unique_ptr<ByteStream>> open_source(const std::string& path);

}  // namespace deepprof
