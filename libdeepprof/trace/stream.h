// A stream: the bytes of one column, compressed on its own, inside a chunk's payload.
//
//   | raw size varint | coded size varint | coded bytes |   coded size = raw size: stored as is
//
// zstd level 1 for columns: levels 3 and 9 save 1-3 % of them and cost several times the time.
// Names are few and text: level 6 saves 15-20 % of them.
#pragma once

#include <memory>

#include "libdeepprof/trace/bytes.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace deepprof {

inline constexpr int kColumnLevel = 1, kNamesLevel = 6;

class StreamPacker {
 public:
  explicit StreamPacker(int level = kColumnLevel);
  void pack(ByteSpan raw, ByteSink& out);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, Free> context_;
  Bytes scratch_;
};

class StreamUnpacker {
 public:
  StreamUnpacker();
  // Fails the reader when the stream is malformed or longer than `most` bytes (which bounds what a
  // hostile file can make us allocate). The span is valid while `storage` and the input are.
  ByteSpan unpack(ByteReader& in, size_t most, Bytes& storage);

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
};

}  // namespace deepprof
