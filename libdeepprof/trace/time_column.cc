#include "libdeepprof/trace/time_column.h"

#include <algorithm>

namespace deepprof {
namespace {

constexpr uint8_t kDifferences = 16;  // added to the unit's index

// r in [-unit/2, unit/2], so that values just under a grid line cost as little as those just above.
// Without a branch: which of them a value is cannot be foreseen.
template <int64_t unit>
void divide(int64_t value, int64_t& quotient, int64_t& remainder) {
  const int64_t rest = value % unit;
  const int64_t step = int64_t{rest > unit / 2} - int64_t{rest < -(unit / 2)};
  quotient = value / unit + step;
  remainder = rest - step * unit;
}

// Of a number below 2^14. Writes two bytes, however many it takes; returns the end of these.
uint8_t* put_short_varint(uint8_t* at, uint64_t value) {
  const bool two = value > 0x7f;
  at[0] = static_cast<uint8_t>((value & 0x7f) | (two ? 0x80 : 0));
  at[1] = static_cast<uint8_t>(value >> 7);
  return at + 1 + two;
}

// Sixteenths of a bit that the remainders of all sampled values cost together: their entropy,
// corrected for what a small sample hides of it (Miller and Madow: half a nat a value seen, here
// 23/32 bit).
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
    if (c > 0) cost += uint64_t{c} * (all - log2_sixteenths(c)) + 23 * 16 / 32;
  }
  return cost;
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

  // A unit saves log2(unit) bits a value in q and costs the entropy of r. The gain must exceed one
  // bit a value, and that of a finer unit by another bit: the remainders of coarse units take two
  // bytes.
  size_t best = 0;
  int64_t best_gain = 0;
  const auto margin = static_cast<int64_t>(16 * size);
  const auto consider = [&](size_t index, uint64_t cost) {
    const auto saved = size * log2_sixteenths(static_cast<uint32_t>(kTimeUnits_ns[index]));
    const int64_t gain = static_cast<int64_t>(saved) - static_cast<int64_t>(cost);
    if (gain > best_gain + margin) {
      best = index;
      best_gain = gain;
    }
  };
  consider(1, remainder_cost<kTimeUnits_ns[1]>(taken));
  consider(2, remainder_cost<kTimeUnits_ns[2]>(taken));
  consider(3, remainder_cost<kTimeUnits_ns[3]>(taken));
  return best;
}

// Leaves the quotients in `values`.
template <int64_t unit>
void TimeColumnEncoder::split_remainders(std::span<int64_t> values) {
  remainders_.resize(values.size() * 2);  // |r| <= 500: at most two bytes
  uint8_t* at = remainders_.data();
  for (int64_t& value : values) {
    int64_t quotient, remainder;
    divide<unit>(value, quotient, remainder);
    value = quotient;
    at = put_short_varint(at, zigzag(remainder));
  }
  remainders_.resize(static_cast<size_t>(at - remainders_.data()));
}

void TimeColumnEncoder::encode(std::span<int64_t> values, std::span<const uint32_t> predecessors,
                               size_t unit_index, ByteSink& out) {
  switch (unit_index) {
    case 1: split_remainders<kTimeUnits_ns[1]>(values); break;
    case 2: split_remainders<kTimeUnits_ns[2]>(values); break;
    case 3: split_remainders<kTimeUnits_ns[3]>(values); break;
    default: break;
  }
  differences_.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const uint32_t before = predecessors[i];
    differences_[i] = before == 0 ? values[i] : wrapping_sub(values[i], values[before - 1]);
  }
  const BucketChoice plain = choose_buckets(values);
  const BucketChoice differing = choose_buckets(differences_);
  const bool differ = differing.cost < plain.cost;
  out.put(static_cast<uint8_t>(unit_index | (differ ? kDifferences : 0)));
  if (unit_index != 0) packer_.pack(remainders_, out);
  if (differ) {
    buckets_.encode(differences_, differing.mantissa, out);
  } else {
    buckets_.encode(values, plain.mantissa, out);
  }
}

int64_t TimeColumnDecoder::decode(ByteReader& in, std::span<const uint32_t> predecessors,
                                  std::span<int64_t> values) {
  const uint8_t form = in.take<uint8_t>();
  const size_t unit_index = form & ~kDifferences;
  if (unit_index >= kTimeUnits_ns.size()) in.fail();
  if (in.failed()) return 1;
  const int64_t unit = kTimeUnits_ns[unit_index];
  ByteReader remainders(unit == 1 ? ByteSpan{}
                                  : unpacker_.unpack(in, values.size() * 2, remainders_));
  buckets_.decode(in, values);
  if (in.failed()) return 1;

  if ((form & kDifferences) != 0) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (const uint32_t before = predecessors[i]; before != 0) {
        values[i] = wrapping_add(values[i], values[before - 1]);
      }
    }
  }
  if (unit == 1) return unit;
  for (int64_t& value : values) {
    // Unsigned, since a hostile q may overflow.
    value = static_cast<int64_t>(static_cast<uint64_t>(value) * static_cast<uint64_t>(unit) +
                                 static_cast<uint64_t>(remainders.take_zigzag()));
  }
  if (remainders.failed() || remainders.remaining() != 0) in.fail();
  return unit;
}

}  // namespace deepprof
