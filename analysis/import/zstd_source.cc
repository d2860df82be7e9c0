#include <zstd.h>

#include <vector>

#include "analysis/import/byte_stream.h"
#include "analysis/import/message.h"

namespace deepprof {
namespace {

class ZstdSource final : public ByteStream {
 public:
  explicit ZstdSource(std::unique_ptr<FileSource> file)
      : file_(std::move(file)), input_(ZSTD_DStreamInSize()), stream_(ZSTD_createDStream()) {}
  ZstdSource(const ZstdSource&) = delete;
  ZstdSource& operator=(const ZstdSource&) = delete;
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }

  absl::StatusOr<size_t> read(char* to, size_t size) override {
    ZSTD_outBuffer out{to, size, 0};
    while (out.pos < out.size) {
      if (given_.pos == given_.size) {
        auto got = file_->read(input_.data(), input_.size());
        if (!got.ok()) return got.status();
        given_ = {input_.data(), *got, 0};
        if (*got == 0 && frame_open_)
          return damaged("the file ends inside a zstd frame (truncated?)");
        if (*got == 0) break;
      }
      const size_t answer = ZSTD_decompressStream(stream_, &out, &given_);
      if (ZSTD_isError(answer) != 0) return damaged(ZSTD_getErrorName(answer));
      frame_open_ = answer != 0;
    }
    return out.pos;
  }
  double progress() const override { return file_->progress(); }

 private:
  absl::Status damaged(const char* what) const {
    return damaged_input(file_->path(), ": ", what, " at byte ",
                         file_->position() - (given_.size - given_.pos), " of ", file_->size());
  }

  std::unique_ptr<FileSource> file_;
  std::vector<char> input_;
  ZSTD_DStream* stream_;
  ZSTD_inBuffer given_{nullptr, 0, 0};
  bool frame_open_ = true;
};

}  // namespace

std::unique_ptr<ByteStream> make_zstd_source(std::unique_ptr<FileSource> file) {
  return std::make_unique<ZstdSource>(std::move(file));
}

}  // namespace deepprof
