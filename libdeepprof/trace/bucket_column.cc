#include "libdeepprof/trace/bucket_column.h"

#include <algorithm>
#include <array>

namespace deepprof {
namespace {

constexpr unsigned kLeastMantissa = 2;  // e <= 61: symbols up to (61 << 2) + 7
constexpr unsigned kMostMantissa = 5;

struct Bucket {
  unsigned symbol;
  unsigned open_bits;
};

// Without a branch: which of a column's values have open bits is not to be foreseen.
inline Bucket bucket_of(uint64_t x, unsigned mantissa) {
  const auto open =
      static_cast<unsigned>(std::bit_width(x | (uint64_t{1} << mantissa))) - mantissa - 1;
  return {(open << mantissa) + static_cast<unsigned>(x >> open), open};
}

// The largest m with which `greatest` still has a one-byte symbol.
unsigned finest_mantissa(uint64_t greatest) {
  unsigned mantissa = kMostMantissa;
  while (mantissa > kLeastMantissa && bucket_of(greatest, mantissa).symbol > UINT8_MAX) --mantissa;
  return mantissa;
}

uint64_t greatest_of(std::span<const int64_t> values) {
  uint64_t all = 0;
  for (const int64_t value : values) all |= zigzag(value);
  return all;
}

// Sixteenths of a bit, estimated from up to 1 K of the values: the choices that rest on it are
// seldom close.
uint64_t cost_with(std::span<const int64_t> values, unsigned mantissa) {
  constexpr size_t kSample = 1024;
  std::array<uint32_t, 256> count{};
  const size_t step = values.size() / kSample + 1;
  uint64_t open = 0;
  uint32_t sampled = 0;
  for (size_t i = 0; i < values.size(); i += step, ++sampled) {
    const Bucket bucket = bucket_of(zigzag(values[i]), mantissa);
    ++count[bucket.symbol];
    open += bucket.open_bits;
  }
  constexpr uint64_t kTableCost = 3 * 16;  // bits a used symbol takes in the Huffman table
  const uint32_t all = sampled == 0 ? 0 : log2_sixteenths(sampled);
  uint64_t cost = open * 16, table = 0;
  for (const uint32_t c : count) {
    if (c == 0) continue;
    cost += uint64_t{c} * (all - log2_sixteenths(c));
    table += kTableCost;
  }
  return cost * step + table;
}

// Bits go in and come out at the low end of a 64-bit window, which is written every time.
class BitSink {
 public:
  // the caller has room for a window more than the bits take
  explicit BitSink(uint8_t* at) : at_(at) {}
  void put(uint64_t value, unsigned bits) {  // bits <= 32, value < 2^bits
    window_ |= value << filled_;
    filled_ += bits;
    std::memcpy(at_, &window_, sizeof window_);
    at_ += filled_ >> 3;
    window_ >>= filled_ & ~7u;
    filled_ &= 7;
  }
  uint8_t* finish() { return filled_ > 0 ? at_ + 1 : at_; }

 private:
  uint8_t* at_;
  uint64_t window_ = 0;
  unsigned filled_ = 0;  // under 8 between two calls
};

// Reads past its end as zeros; the caller compares used() with what there was.
class BitSource {
 public:
  explicit BitSource(ByteSpan bytes) : bytes_(bytes) {}
  uint64_t take(unsigned bits) {  // bits <= 32
    const uint64_t word = load(position_ >> 3) >> (position_ & 7);
    position_ += bits;
    return word & ((uint64_t{1} << bits) - 1);
  }
  size_t used() const { return (position_ + 7) >> 3; }

 private:
  uint64_t load(size_t at) const {
    uint64_t word = 0;
    if (at + sizeof word <= bytes_.size()) {
      std::memcpy(&word, bytes_.data() + at, sizeof word);
    } else if (at < bytes_.size()) {
      std::memcpy(&word, bytes_.data() + at, bytes_.size() - at);
    }
    return word;
  }
  ByteSpan bytes_;
  size_t position_ = 0;
};

}  // namespace

uint32_t log2_sixteenths(uint32_t value) {
  const uint32_t exponent = static_cast<uint32_t>(std::bit_width(value)) - 1;
  const uint32_t mantissa = static_cast<uint32_t>((uint64_t{value} << 4) >> exponent) - 16;
  return exponent * 16 + mantissa;
}

BucketChoice choose_buckets(std::span<const int64_t> values) {
  const BucketChoice coarse{kLeastMantissa, cost_with(values, kLeastMantissa)};
  const unsigned finest = finest_mantissa(greatest_of(values));
  if (finest == kLeastMantissa) return coarse;
  const BucketChoice fine{finest, cost_with(values, finest)};
  return fine.cost < coarse.cost ? fine : coarse;
}

void BucketEncoder::encode(std::span<const int64_t> values, unsigned mantissa, ByteSink& out) {
  symbols_.resize(values.size());
  bits_.resize(values.size() * sizeof(uint64_t) + sizeof(uint64_t));
  BitSink bits(bits_.data());
  for (size_t i = 0; i < values.size(); ++i) {
    const uint64_t x = zigzag(values[i]);
    const Bucket bucket = bucket_of(x, mantissa);
    symbols_[i] = static_cast<uint8_t>(bucket.symbol);
    const uint64_t low = x & ((uint64_t{1} << bucket.open_bits) - 1);
    if (bucket.open_bits <= 32) {
      bits.put(low, bucket.open_bits);
    } else {
      bits.put(low & UINT32_MAX, 32);
      bits.put(low >> 32, bucket.open_bits - 32);
    }
  }
  const auto size = static_cast<size_t>(bits.finish() - bits_.data());
  out.put(static_cast<uint8_t>(mantissa));
  packer_.pack(symbols_, out);
  out.put_varint(size);
  out.put_bytes(ByteSpan(bits_).first(size));
}

void BucketDecoder::decode(ByteReader& in, std::span<int64_t> values) {
  const unsigned mantissa = in.take<uint8_t>();
  const ByteSpan symbols = unpacker_.unpack(in, values.size(), symbols_);
  const ByteSpan packed = in.take_bytes(in.take_varint());
  if (in.failed() || mantissa < kLeastMantissa || mantissa > kMostMantissa ||
      symbols.size() != values.size()) {
    return in.fail();
  }
  // What a symbol means, once for all rows.
  struct Meaning {
    uint64_t high;
    unsigned open_bits;
  };
  std::array<Meaning, 256> meanings;
  for (unsigned symbol = 0; symbol < meanings.size(); ++symbol) {
    const unsigned leading = symbol >> mantissa;
    const unsigned open = leading == 0 ? 0 : leading - 1;
    meanings[symbol] = {uint64_t{symbol - (open << mantissa)} << open, open};
  }

  BitSource bits(packed);
  for (size_t i = 0; i < values.size(); ++i) {
    const Meaning meaning = meanings[symbols[i]];
    uint64_t low;
    if (meaning.open_bits <= 32) {
      low = bits.take(meaning.open_bits);
    } else {
      low = bits.take(32);
      low |= bits.take(meaning.open_bits - 32) << 32;
    }
    values[i] = unzigzag(meaning.high | low);
  }
  if (bits.used() != packed.size()) in.fail();
}

}  // namespace deepprof
