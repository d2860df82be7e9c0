// A column of signed integers, most of them small, as one stream of symbols and the bits that the
// symbols leave open.
//
// A zigzagged value x falls into a bucket: with m mantissa bits and e = the bits of x beyond its m
// + 1 leading ones, the symbol is (e << m) + (x >> e), and the low e bits of x follow as they are.
// The symbols are what zstd can shorten; the low bits are noise and are only packed. m = 2 reaches
// all 64-bit values with one byte; columns of small values choose a larger m, which keeps more of x
// in the symbol.
//
//   | m u8 | stream of symbols u8 | size of the bits in bytes, varint | bits, low first |
#pragma once

#include <cstdint>
#include <span>

#include "libdeepprof/trace/bytes.h"
#include "libdeepprof/trace/stream.h"

namespace deepprof {

// The m with which a column of `values` promises to be shortest, and about how long it will be.
struct BucketChoice {
  unsigned mantissa;
  uint64_t cost;  // sixteenths of a bit
};
BucketChoice choose_buckets(std::span<const int64_t> values);

class BucketEncoder {
 public:
  explicit BucketEncoder(StreamPacker& packer) : packer_(packer) {}
  // `mantissa` as chosen for these values.
  void encode(std::span<const int64_t> values, unsigned mantissa, ByteSink& out);

 private:
  StreamPacker& packer_;
  Bytes symbols_, bits_;
};

class BucketDecoder {
 public:
  explicit BucketDecoder(StreamUnpacker& unpacker) : unpacker_(unpacker) {}
  // Fills `values`; fails the reader when the column does not hold exactly that many.
  void decode(ByteReader& in, std::span<int64_t> values);

 private:
  StreamUnpacker& unpacker_;
  Bytes symbols_;
};

// log2(value) in sixteenths, linear between powers of two: good enough to choose by, and no libm.
// Precondition: value > 0.
uint32_t log2_sixteenths(uint32_t value);

}  // namespace deepprof
