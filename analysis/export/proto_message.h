// Writes Protocol Buffers' wire format: enough for the few message types that an exporter needs, without the
// library and its generated code.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace deepprof {

class ProtoMessage {
 public:
  ProtoMessage& varint(uint32_t field, uint64_t value) {
    tag(field, 0);
    put_varint(value);
    return *this;
  }
  ProtoMessage& fixed64(uint32_t field, uint64_t value) {
    tag(field, 1);
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    bytes_.append(bytes, sizeof bytes);
    return *this;
  }
  ProtoMessage& real(uint32_t field, double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return fixed64(field, bits);
  }
  // A string, or the bytes of another message.
  ProtoMessage& text(uint32_t field, std::string_view value) {
    tag(field, 2);
    put_varint(value.size());
    bytes_ += value;
    return *this;
  }
  ProtoMessage& message(uint32_t field, const ProtoMessage& value) { return text(field, value.bytes_); }

  const std::string& bytes() const { return bytes_; }

 private:
  void tag(uint32_t field, uint32_t wire_type) { put_varint(field << 3 | wire_type); }
  void put_varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace deepprof
