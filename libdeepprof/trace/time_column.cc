#include "libdeepprof/trace/time_column.h"

#include <algorithm>

namespace deepprof {
namespace {

// r in [-unit/2, unit/2], so that values just under a grid line cost as little as those just above.
template <int64_t unit>
void divide(int64_t value, int64_t& quotient, int64_t& remainder) {
  quotient = value / unit;
  remainder = value % unit;
  if (remainder > unit / 2) {
    ++quotient;
    remainder -= unit;
  } else if (remainder < -(unit / 2)) {
    --quotient;
    remainder += unit;
  }
}

// log2(value) in 1/16 bit, linear between powers of two: good enough to choose by, and no libm.
uint32_t log2_sixteenths(uint32_t value) {
  const uint32_t exponent = static_cast<uint32_t>(std::bit_width(value)) - 1;
  const uint32_t mantissa = static_cast<uint32_t>((uint64_t{value} << 4) >> exponent) - 16;
  return exponent * 16 + mantissa;
}

// Sixteenths of a bit that the remainders of all sampled values cost together (their entropy).
template <int64_t unit>
uint64_t remainder_cost(std::span<const int64_t> sample) {
  std::array<uint16_t, unit + 1> count{};
  for (const int64_t value : sample) {
    int64_t quotient, remainder;
    divide<unit>(value, quotient, remainder);
    ++count[static_cast<size_t>(remainder + unit / 2)];
  }
  uint64_t cost = 0;
  const uint32_t all = log2_sixteenths(static_cast<uint32_t>(sample.size()));
  for (const uint16_t c : count) {
    if (c > 0) cost += uint64_t{c} * (all - log2_sixteenths(c));
  }
  return cost;
}

inline unsigned byte_length(uint64_t value) {
  return (static_cast<unsigned>(std::bit_width(value)) + 7) / 8;
}

}  // namespace

size_t choose_time_unit(std::span<const int64_t> values) {
  constexpr size_t kSample = 1024;
  std::array<int64_t, kSample> sample;
  const size_t step = values.size() / kSample + 1;
  size_t size = 0;
  for (size_t i = 0; i < values.size(); i += step) sample[size++] = values[i];
  if (size == 0) return 0;
  const std::span<const int64_t> taken(sample.data(), size);

  // A unit saves log2(unit) bits a value in q and costs the entropy of r. A thousand samples show at
  // most 10 bits of entropy, so a gain must exceed one bit a value to be believed, and that of the
  // unit before by a quarter.
  size_t best = 0;
  int64_t best_gain = static_cast<int64_t>(16 * size);
  const auto margin = static_cast<int64_t>(4 * size);
  const auto consider = [&](size_t index, uint64_t cost) {
    const auto saved = size * log2_sixteenths(static_cast<uint32_t>(kTimeUnits_ns[index]));
    const int64_t gain = static_cast<int64_t>(saved) - static_cast<int64_t>(cost);
    if (gain > best_gain + (best == 0 ? 0 : margin)) {
      best = index;
      best_gain = gain;
    }
  };
  consider(1, remainder_cost<kTimeUnits_ns[1]>(taken));
  consider(2, remainder_cost<kTimeUnits_ns[2]>(taken));
  consider(3, remainder_cost<kTimeUnits_ns[3]>(taken));
  return best;
}

template <int64_t unit>
void TimeColumnEncoder::split_remainders(std::span<int64_t> values, ByteSink& out) {
  remainders_.resize(values.size() * 2);  // |r| <= 500: at most two bytes
  uint8_t* at = remainders_.data();
  for (int64_t& value : values) {
    int64_t quotient, remainder;
    divide<unit>(value, quotient, remainder);
    value = quotient;
    at = put_varint(at, zigzag(remainder));
  }
  packer_.pack(ByteSpan(remainders_).first(static_cast<size_t>(at - remainders_.data())), out);
}

void TimeColumnEncoder::encode(std::span<int64_t> values, ByteSink& out) {
  const size_t unit = choose_time_unit(values);
  out.put(static_cast<uint8_t>(unit));
  switch (unit) {
    case 1: split_remainders<kTimeUnits_ns[1]>(values, out); break;
    case 2: split_remainders<kTimeUnits_ns[2]>(values, out); break;
    case 3: split_remainders<kTimeUnits_ns[3]>(values, out); break;
    default: break;
  }
  encode_planes(values, out);
}

void TimeColumnEncoder::encode_planes(std::span<const int64_t> quotients, ByteSink& out) {
  lengths_.resize(quotients.size());
  std::array<uint8_t*, 8> end;
  for (size_t k = 0; k < planes_.size(); ++k) {
    planes_[k].resize(quotients.size());
    end[k] = planes_[k].data();
  }
  for (size_t i = 0; i < quotients.size(); ++i) {
    uint64_t rest = zigzag(quotients[i]);
    lengths_[i] = static_cast<uint8_t>(byte_length(rest));
    for (unsigned k = 0; rest != 0; ++k, rest >>= 8) *end[k]++ = static_cast<uint8_t>(rest);
  }
  packer_.pack(lengths_, out);
  uint8_t planes = 0;
  while (planes < 8 && end[planes] != planes_[planes].data()) ++planes;
  out.put(planes);
  for (size_t k = 0; k < planes; ++k) {
    packer_.pack({planes_[k].data(), static_cast<size_t>(end[k] - planes_[k].data())}, out);
  }
}

void TimeColumnDecoder::decode(ByteReader& in, std::span<int64_t> values) {
  const uint8_t unit_index = in.take<uint8_t>();
  if (unit_index >= kTimeUnits_ns.size()) in.fail();
  if (in.failed()) return;
  const auto unit = static_cast<uint64_t>(kTimeUnits_ns[unit_index]);
  if (unit == 1) {
    decode_planes(in, values);
    return;
  }
  ByteReader remainders(unpacker_.unpack(in, values.size() * 2, remainders_));
  decode_planes(in, values);
  for (int64_t& value : values) {
    // Unsigned, since a hostile q may overflow.
    value = static_cast<int64_t>(static_cast<uint64_t>(value) * unit +
                                 static_cast<uint64_t>(remainders.take_zigzag()));
  }
  if (remainders.failed() || remainders.remaining() != 0) in.fail();
}

void TimeColumnDecoder::decode_planes(ByteReader& in, std::span<int64_t> values) {
  const ByteSpan lengths = unpacker_.unpack(in, values.size(), lengths_);
  std::array<size_t, 9> having{};  // having[k]: values with more than k bytes, once summed up
  for (const uint8_t length : lengths) {
    if (length > 8) return in.fail();
    ++having[length];
  }
  for (size_t k = 8; k-- > 0;) having[k] += having[k + 1];

  const uint8_t planes = in.take<uint8_t>();
  if (planes > 8 || lengths.size() != values.size()) return in.fail();
  std::array<const uint8_t*, 8> next{};
  for (size_t k = 0; k < planes; ++k) {
    const ByteSpan plane = unpacker_.unpack(in, values.size(), planes_[k]);
    if (plane.size() != having[k + 1]) return in.fail();
    next[k] = plane.data();
  }
  if (in.failed() || (planes < 8 && having[planes + 1] != 0)) return in.fail();

  for (size_t i = 0; i < values.size(); ++i) {
    uint64_t value = 0;
    switch (lengths[i]) {
      case 8: value |= uint64_t{*next[7]++} << 56; [[fallthrough]];
      case 7: value |= uint64_t{*next[6]++} << 48; [[fallthrough]];
      case 6: value |= uint64_t{*next[5]++} << 40; [[fallthrough]];
      case 5: value |= uint64_t{*next[4]++} << 32; [[fallthrough]];
      case 4: value |= uint64_t{*next[3]++} << 24; [[fallthrough]];
      case 3: value |= uint64_t{*next[2]++} << 16; [[fallthrough]];
      case 2: value |= uint64_t{*next[1]++} << 8; [[fallthrough]];
      case 1: value |= uint64_t{*next[0]++}; [[fallthrough]];
      default: break;
    }
    values[i] = unzigzag(value);
  }
}

}  // namespace deepprof
