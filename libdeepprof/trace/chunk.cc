#include "libdeepprof/trace/chunk.h"

#include "libdeepprof/trace/crc32c.h"

namespace deepprof {
namespace {

template <typename T>
void store(uint8_t* at, T value) {
  std::memcpy(at, &value, sizeof value);
}
template <typename T>
T load(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

constexpr std::array<std::string_view, kChunkTypeCount> kTypeNames = {
    "free",   "segment", "names",  "threads", "devices", "facts",  "losses",     "details",
    "events", "samples", "ranges", "blob",    "index",   "let go", "allocations"};

}  // namespace

std::string_view chunk_type_name(ChunkType type) {
  const auto number = static_cast<uint16_t>(type);
  return number < kChunkTypeCount ? kTypeNames[number] : "unknown";
}

void encode(const ChunkHeader& header, std::span<uint8_t, kChunkHeaderBytes> out) {
  uint8_t* at = out.data();
  std::memcpy(at, kChunkMagic.data(), kChunkMagic.size());
  store(at + 4, static_cast<uint16_t>(header.type));
  store(at + 6, header.version);
  store(at + 7, uint8_t{0});
  store(at + 8, header.length);
  store(at + 12, header.segment);
  store(at + 16, header.sequence);
  store(at + 24, header.payload_crc);
  store(at + 28, crc32c(out.first<28>()));
}

std::optional<ChunkHeader> decode_chunk_header(std::span<const uint8_t, kChunkHeaderBytes> bytes) {
  const uint8_t* at = bytes.data();
  if (std::memcmp(at, kChunkMagic.data(), kChunkMagic.size()) != 0) return std::nullopt;
  if (load<uint32_t>(at + 28) != crc32c(bytes.first<28>())) return std::nullopt;
  ChunkHeader header;
  header.type = static_cast<ChunkType>(load<uint16_t>(at + 4));
  header.version = at[6];
  header.length = load<uint32_t>(at + 8);
  header.segment = load<uint32_t>(at + 12);
  header.sequence = load<uint64_t>(at + 16);
  header.payload_crc = load<uint32_t>(at + 24);
  if (header.length > kMaxPayloadBytes) return std::nullopt;
  return header;
}

std::array<uint8_t, kFileHeaderBytes> encode_file_header() {
  std::array<uint8_t, kFileHeaderBytes> header{};
  std::memcpy(header.data(), kFileMagic.data(), kFileMagic.size());
  store(header.data() + 8, kFormatMajor);
  store(header.data() + 10, kFormatMinor);
  store(header.data() + 12, crc32c(ByteSpan(header).first(12)));
  return header;
}

}  // namespace deepprof
