// Where a reader's bytes come from: a file, or memory (fuzzers, tests).
#pragma once

#include <cstdint>
#include <string>

#include "libdeepprof/result.h"
#include "libdeepprof/trace/bytes.h"

namespace deepprof {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual uint64_t size() const = 0;
  // Fills `out` from `offset` and returns how many bytes there were: fewer at the end of the source
  // or where it cannot be read.
  virtual size_t read_at(uint64_t offset, std::span<uint8_t> out) const = 0;
};

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(ByteSpan bytes) : bytes_(bytes) {}
  uint64_t size() const override { return bytes_.size(); }
  size_t read_at(uint64_t offset, std::span<uint8_t> out) const override;

 private:
  ByteSpan bytes_;
};

// Read by pread, not mapped: a file that shrinks or a disk that fails is a short read, not a
// signal.
class InputFile final : public ByteSource {
 public:
  // An error for what is not a readable regular file.
  static Result<InputFile> open(const std::string& path);
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile() override;

  uint64_t size() const override { return size_; }
  size_t read_at(uint64_t offset, std::span<uint8_t> out) const override;

 private:
  InputFile(int descriptor, uint64_t size) : descriptor_(descriptor), size_(size) {}
  int descriptor_;
  uint64_t size_;
};

}  // namespace deepprof
