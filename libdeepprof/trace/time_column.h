// A column of times or durations (signed 64-bit nanoseconds) as compressed streams.
//
// GPU clocks tick on a 32 ns grid, some host clocks on 10 ns, some traces on 1 us. So each column
// picks one unit for all its values: v = q * unit + r, r near zero. Where it pays, q is stored as
// the difference to the q of the row's predecessor (predecessors.h).
//
//   | form u8: index in kTimeUnits_ns, +16 for differences | [unit > 1: stream of r, zigzag
//   varints] | | bucket column of q (bucket_column.h) |
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "libdeepprof/trace/bucket_column.h"
#include "libdeepprof/trace/bytes.h"
#include "libdeepprof/trace/stream.h"

namespace deepprof {

inline constexpr std::array<int64_t, 4> kTimeUnits_ns = {1, 10, 32, 1000};

// The index in kTimeUnits_ns that promises the shortest column.
size_t choose_time_unit(std::span<const int64_t> values);

class TimeColumnEncoder {
 public:
  explicit TimeColumnEncoder(StreamPacker& packer) : packer_(packer), buckets_(packer) {}
  // Overwrites `values`. `predecessors`: for each value 1 + the index of an earlier one; 0: none.
  void encode(std::span<int64_t> values, std::span<const uint32_t> predecessors, size_t unit_index,
              ByteSink& out);

 private:
  template <int64_t unit>
  void split_remainders(std::span<int64_t> values);

  StreamPacker& packer_;
  BucketEncoder buckets_;
  Bytes remainders_;
  std::vector<int64_t> differences_;
};

class TimeColumnDecoder {
 public:
  explicit TimeColumnDecoder(StreamUnpacker& unpacker) : unpacker_(unpacker), buckets_(unpacker) {}
  // Fills `values` and returns their unit; fails the reader when the column does not hold exactly
  // that many.
  int64_t decode(ByteReader& in, std::span<const uint32_t> predecessors, std::span<int64_t> values);

 private:
  StreamUnpacker& unpacker_;
  BucketDecoder buckets_;
  Bytes remainders_;
};

}  // namespace deepprof
