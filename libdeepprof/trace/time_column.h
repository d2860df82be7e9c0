// A column of times or durations (signed 64-bit nanoseconds) as compressed streams.
//
// GPU clocks tick on a 32 ns grid, some host clocks on 10 ns, some traces on 1 us. So each column picks
// one unit for all its values: v = q * unit + r. Of q, zigzagged, a length column holds how many
// bytes each value needs and plane k holds byte k of those that have one: the planes are dense, and each
// has its own statistics.
//
//   | unit u8: index in kTimeUnits_ns | [unit > 1: stream of r, zigzag varints] | stream of lengths, u8 |
//   | planes u8 | one stream a plane |
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "libdeepprof/trace/bytes.h"
#include "libdeepprof/trace/stream.h"

namespace deepprof {

inline constexpr std::array<int64_t, 4> kTimeUnits_ns = {1, 10, 32, 1000};

class TimeColumnEncoder {
 public:
  explicit TimeColumnEncoder(StreamPacker& packer) : packer_(packer) {}
  // Overwrites `values`.
  void encode(std::span<int64_t> values, ByteSink& out);

 private:
  template <int64_t unit>
  void split_remainders(std::span<int64_t> values, ByteSink& out);
  void encode_planes(std::span<const int64_t> quotients, ByteSink& out);

  StreamPacker& packer_;
  Bytes lengths_, remainders_;
  std::array<Bytes, 8> planes_;
};

class TimeColumnDecoder {
 public:
  explicit TimeColumnDecoder(StreamUnpacker& unpacker) : unpacker_(unpacker) {}
  // Fills `values`; fails the reader when the column does not hold exactly that many.
  void decode(ByteReader& in, std::span<int64_t> values);

 private:
  void decode_planes(ByteReader& in, std::span<int64_t> values);

  StreamUnpacker& unpacker_;
  Bytes remainders_, lengths_;
  std::array<Bytes, 8> planes_;
};

// The index in kTimeUnits_ns that promises the shortest column. Exposed for its test.
size_t choose_time_unit(std::span<const int64_t> values);

}  // namespace deepprof
