// gzip by ISA-L where it is installed (two to three times as fast), else by zlib.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/import/byte_stream.h"
#include "analysis/import/message.h"

#ifdef DEEPPROF_HAVE_ISAL
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif

namespace deepprof {
namespace {

#ifdef DEEPPROF_HAVE_ISAL

class Inflater {
 public:
  Inflater() { start_member(); }

  // The header is read by a call of its own: isal_inflate() forgets the header's flags between two
  // calls, and would go on with whatever lies on the stack where the input ends inside a header.
  void start_member() {
    isal_inflate_reset(&state_);
    state_.crc_flag = ISAL_GZIP_NO_HDR_VER;  // verify the checksum behind the data
    header_ = {};
    header_read_ = false;
  }
  void give(uint8_t* data, size_t size) {
    state_.next_in = data;
    state_.avail_in = static_cast<uint32_t>(size);
  }
  // Bytes written to `to`; negative: the data is not gzip or is damaged.
  int64_t take(char* to, size_t size) {
    state_.next_out = reinterpret_cast<uint8_t*>(to);
    state_.avail_out = static_cast<uint32_t>(size);
    if (!header_read_) {
      const int answer = isal_read_gzip_header(&state_, &header_);
      if (answer == ISAL_END_INPUT) return 0;
      if (answer != ISAL_DECOMP_OK) return -1;
      header_read_ = true;
    }
    if (isal_inflate(&state_) < 0) return -1;
    return static_cast<int64_t>(size - state_.avail_out);
  }
  bool member_ended() const { return state_.block_state == ISAL_BLOCK_FINISH; }
  size_t left() const { return state_.avail_in; }
  uint8_t next_byte() const { return *state_.next_in; }

 private:
  inflate_state state_{};
  isal_gzip_header header_{};
  bool header_read_ = false;
};

#else

class Inflater {
 public:
  Inflater() { inflateInit2(&state_, 16 + MAX_WBITS); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&state_); }

  void start_member() {
    inflateReset(&state_);
    ended_ = false;
  }
  void give(uint8_t* data, size_t size) {
    state_.next_in = data;
    state_.avail_in = static_cast<uInt>(size);
  }
  int64_t take(char* to, size_t size) {
    state_.next_out = reinterpret_cast<Bytef*>(to);
    state_.avail_out = static_cast<uInt>(size);
    const int answer = inflate(&state_, Z_NO_FLUSH);
    if (answer != Z_OK && answer != Z_STREAM_END && answer != Z_BUF_ERROR) return -1;
    ended_ = answer == Z_STREAM_END;
    return static_cast<int64_t>(size - state_.avail_out);
  }
  bool member_ended() const { return ended_; }
  size_t left() const { return state_.avail_in; }
  uint8_t next_byte() const { return *state_.next_in; }

 private:
  z_stream state_{};
  bool ended_ = false;
};

#endif

class GzipSource final : public ByteStream {
 public:
  explicit GzipSource(std::unique_ptr<FileSource> file)
      : file_(std::move(file)), input_(kInputBytes) {}

  absl::StatusOr<size_t> read(char* to, size_t size) override {
    size_t done = 0;
    while (done < size && !ended_) {
      if (inflater_.left() == 0) {
        auto got = file_->read(reinterpret_cast<char*>(input_.data()), input_.size());
        if (!got.ok()) return got.status();
        inflater_.give(input_.data(), *got);
        if (*got == 0) exhausted_ = true;
      }
      const int64_t got = inflater_.take(to + done, std::min(size - done, kMostOutput));
      if (got < 0) return damaged("the compressed data is damaged");
      done += static_cast<size_t>(got);
      if (inflater_.member_ended()) {
        if (absl::Status next = next_member(); !next.ok()) return next;
      } else if (exhausted_ && got == 0) {
        return damaged("the file ends before the gzip end marker (truncated?)");
      }
    }
    return done;
  }
  double progress() const override { return file_->progress(); }

 private:
  static constexpr size_t kInputBytes = 256 * 1024;
  static constexpr size_t kMostOutput = size_t{1} << 30;

  // gzip files may be concatenated; anything else behind a member is padding, which gzip ignores
  // too.
  absl::Status next_member() {
    if (inflater_.left() == 0) {
      auto got = file_->read(reinterpret_cast<char*>(input_.data()), input_.size());
      if (!got.ok()) return got.status();
      inflater_.give(input_.data(), *got);
    }
    if (inflater_.left() == 0 || inflater_.next_byte() != 0x1f) {
      ended_ = true;
    } else {
      inflater_.start_member();
    }
    return absl::OkStatus();
  }
  absl::Status damaged(const char* what) const {
    return damaged_input(file_->path(), ": ", what, " at byte ",
                         file_->position() - inflater_.left(), " of ", file_->size());
  }

  std::unique_ptr<FileSource> file_;
  std::vector<uint8_t> input_;
  Inflater inflater_;
  bool exhausted_ = false;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> make_gzip_source(std::unique_ptr<FileSource> file) {
  return std::make_unique<GzipSource>(std::move(file));
}

}  // namespace deepprof
