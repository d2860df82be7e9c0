#include "libdeepprof/trace/bytes.h"

#include <cstring>

#include "libdeepprof/trace/crc32c.h"
#include "libdeepprof/trace/stream.h"
#include "test/support/catch.h"

using namespace deepprof;

TEST_CASE("varints and zigzag hold every 64-bit value") {
  ByteSink sink;
  const int64_t values[] = {0, 1, -1, 63, 64, -64, -65, INT32_MAX, INT64_MAX, INT64_MIN};
  for (const int64_t value : values) {
    sink.put_zigzag(value);
    sink.put_varint(static_cast<uint64_t>(value));
  }
  ByteReader reader(sink.bytes());
  for (const int64_t value : values) {
    CHECK(reader.take_zigzag() == value);
    CHECK(reader.take_varint() == static_cast<uint64_t>(value));
  }
  CHECK_FALSE(reader.failed());
  CHECK(reader.remaining() == 0);
}

TEST_CASE("a reader fails, and keeps failing, at the end of its bytes") {
  const uint8_t bytes[] = {0x80, 0x80};
  ByteReader reader(bytes);
  CHECK(reader.take_varint() == 0);
  CHECK(reader.failed());
  CHECK(reader.take<uint8_t>() == 0);
  CHECK(reader.take_bytes(1).empty());
}

TEST_CASE("a varint longer than 64 bits is refused") {
  const Bytes bytes(11, 0x80);
  ByteReader reader(bytes);
  reader.take_varint();
  CHECK(reader.failed());
}

TEST_CASE("CRC-32C gives the check value of its standard, whole or in pieces") {
  const auto* text = reinterpret_cast<const uint8_t*>("123456789");
  CHECK(crc32c({text, 9}) == 0xE3069283);
  CHECK(crc32c({text + 4, 5}, crc32c({text, 4})) == 0xE3069283);
  CHECK(crc32c({text, 0}) == 0);
}

TEST_CASE("a stream comes back, stored or compressed") {
  StreamPacker packer;
  StreamUnpacker unpacker;
  for (const size_t size : {0, 1, 23, 24, 1000, 100'000}) {
    for (const bool random : {false, true}) {
      Bytes raw(size);
      uint64_t state = 1;
      for (uint8_t& byte : raw) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        byte = static_cast<uint8_t>(random ? state >> 56 : size);
      }
      ByteSink sink;
      packer.pack(raw, sink);
      ByteReader reader(sink.bytes());
      Bytes storage;
      const ByteSpan back = unpacker.unpack(reader, size, storage);
      CHECK(Bytes(back.begin(), back.end()) == raw);
      CHECK_FALSE(reader.failed());
      CHECK(reader.remaining() == 0);
      if (size > 0) {
        ByteReader limited(sink.bytes());
        unpacker.unpack(limited, size - 1, storage);
        CHECK(limited.failed());
      }
    }
  }
}
