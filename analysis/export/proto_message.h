// A protobuf message under construction: protozero's writer over bytes of its own, so that messages
// nest as values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <protozero/pbf_writer.hpp>

namespace deepprof {

class ProtoMessage {
 public:
  ProtoMessage& varint(uint32_t field, uint64_t value) {
    protozero::pbf_writer(bytes_).add_uint64(field, value);
    return *this;
  }
  ProtoMessage& fixed64(uint32_t field, uint64_t value) {
    protozero::pbf_writer(bytes_).add_fixed64(field, value);
    return *this;
  }
  ProtoMessage& real(uint32_t field, double value) {
    protozero::pbf_writer(bytes_).add_double(field, value);
    return *this;
  }
  // A string, or the bytes of another message.
  ProtoMessage& text(uint32_t field, std::string_view value) {
    protozero::pbf_writer(bytes_).add_bytes(field, value.data(), value.size());
    return *this;
  }
  ProtoMessage& message(uint32_t field, const ProtoMessage& value) {
    return text(field, value.bytes_);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace deepprof
