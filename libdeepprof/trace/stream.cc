#include "libdeepprof/trace/stream.h"

#include <zstd.h>

#include <new>

namespace deepprof {
namespace {

// Shorter streams cannot win back a zstd frame's own header.
constexpr size_t kSmallest = 24;

template <typename Context>
Context* checked(Context* context) {
  if (context == nullptr) throw std::bad_alloc();
  return context;
}

}  // namespace

void StreamPacker::Free::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }
void StreamUnpacker::Free::operator()(ZSTD_DCtx_s* context) const { ZSTD_freeDCtx(context); }

StreamPacker::StreamPacker(int level) : context_(checked(ZSTD_createCCtx())) {
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
  // The raw size stands before the frame already.
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_contentSizeFlag, 0);
}

StreamUnpacker::StreamUnpacker() : context_(checked(ZSTD_createDCtx())) {}

void StreamPacker::pack(ByteSpan raw, ByteSink& out) {
  size_t coded = raw.size();
  if (raw.size() >= kSmallest) {
    const size_t bound = ZSTD_compressBound(raw.size());
    if (scratch_.size() < bound) scratch_.resize(bound);
    const size_t result =
        ZSTD_compress2(context_.get(), scratch_.data(), scratch_.size(), raw.data(), raw.size());
    if (!ZSTD_isError(result) && result < raw.size()) coded = result;
  }
  out.put_varint(raw.size());
  out.put_varint(coded);
  out.put_bytes(coded == raw.size() ? raw : ByteSpan(scratch_).first(coded));
}

ByteSpan StreamUnpacker::unpack(ByteReader& in, size_t most, Bytes& storage) {
  const auto raw_size = static_cast<size_t>(in.take_varint(most));
  const ByteSpan coded = in.take_bytes(in.take_varint(raw_size));
  if (in.failed() || coded.size() == raw_size) return coded;
  if (storage.size() < raw_size) storage.resize(raw_size);
  const size_t result =
      ZSTD_decompressDCtx(context_.get(), storage.data(), raw_size, coded.data(), coded.size());
  if (ZSTD_isError(result) || result != raw_size) {
    in.fail();
    return {};
  }
  return ByteSpan(storage).first(raw_size);
}

}  // namespace deepprof
