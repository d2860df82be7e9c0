// Little-endian integers, varints and zigzag over byte buffers: the alphabet of the .dprof format.
//
// ByteReader never reads past its end: a short or malformed input sets failed() and yields zeros,
// so that a decoder checks once at its end instead of at every field.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace deepprof {

static_assert(std::endian::native == std::endian::little,
              "the format is written as it lies in memory");

using Bytes = std::vector<uint8_t>;
using ByteSpan = std::span<const uint8_t>;

inline constexpr size_t kMaxVarintBytes = 10;

inline constexpr uint64_t zigzag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
inline constexpr int64_t unzigzag(uint64_t value) {
  return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

// Times may be any 64-bit value: differences wrap instead of overflowing, and wrap back when
// decoded.
inline constexpr int64_t wrapping_sub(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
inline constexpr int64_t wrapping_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

// Writes a varint (7 bits a byte, low first) at `at` and returns the position behind it. The caller
// has made sure of kMaxVarintBytes of room.
inline uint8_t* put_varint(uint8_t* at, uint64_t value) {
  while (value >= 0x80) {
    *at++ = static_cast<uint8_t>(value | 0x80);
    value >>= 7;
  }
  *at++ = static_cast<uint8_t>(value);
  return at;
}

class ByteSink {
 public:
  template <typename T>
  void put(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  void put_varint(uint64_t value) {
    uint8_t buffer[kMaxVarintBytes];
    uint8_t* const end = deepprof::put_varint(buffer, value);
    bytes_.insert(bytes_.end(), buffer, end);
  }
  void put_zigzag(int64_t value) { put_varint(zigzag(value)); }
  void put_bytes(ByteSpan bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  void put_text(std::string_view text) {
    put_varint(text.size());
    bytes_.insert(bytes_.end(), text.begin(), text.end());
  }
  void clear() { bytes_.clear(); }
  bool empty() const { return bytes_.empty(); }
  size_t size() const { return bytes_.size(); }
  Bytes& bytes() { return bytes_; }
  const Bytes& bytes() const { return bytes_; }

 private:
  Bytes bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(ByteSpan bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  template <typename T>
  T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    if (remaining() < sizeof value) return fail(), T{};
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  uint64_t take_varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == end_) return fail(), 0;
      const uint8_t byte = *at_++;
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return fail(), 0;
  }
  // A varint that must not exceed `most`.
  uint64_t take_varint(uint64_t most) {
    const uint64_t value = take_varint();
    if (value > most) return fail(), 0;
    return value;
  }
  int64_t take_zigzag() { return unzigzag(take_varint()); }
  ByteSpan take_bytes(uint64_t count) {
    if (remaining() < count) return fail(), ByteSpan{};
    ByteSpan bytes(at_, static_cast<size_t>(count));
    at_ += count;
    return bytes;
  }
  std::string_view take_text() {
    const ByteSpan bytes = take_bytes(take_varint());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  size_t remaining() const { return static_cast<size_t>(end_ - at_); }
  bool failed() const { return failed_; }
  void fail() {
    failed_ = true;
    at_ = end_;
  }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
  bool failed_ = false;
};

}  // namespace deepprof
