#include "libdeepprof/trace/chunk_scan.h"

#include <algorithm>

#include "libdeepprof/text.h"
#include "libdeepprof/trace/crc32c.h"

namespace deepprof {
namespace {

Status check_file_header(const ByteSource& source, const std::string& name) {
  std::array<uint8_t, kFileHeaderBytes> bytes{};
  const size_t have = source.read_at(0, bytes);
  if (have == 0) return Error{name + ": byte 0: expected a .dprof file, found an empty file"};
  const size_t magic = std::min(have, kFileMagic.size());
  if (std::memcmp(bytes.data(), kFileMagic.data(), magic) != 0) {
    return Error{name + ": byte 0: expected the .dprof signature, found another kind of file"};
  }
  if (have < kFileHeaderBytes) {
    return Error{format_text("%s: byte %zu: expected a file header of %zu bytes, the file ends",
                             name.c_str(), have, kFileHeaderBytes)};
  }
  ByteReader fields(ByteSpan(bytes).subspan(kFileMagic.size()));
  const auto major = fields.take<uint16_t>();
  const auto minor = fields.take<uint16_t>();
  if (fields.take<uint32_t>() != crc32c(ByteSpan(bytes).first(12))) {
    return Error{name + ": byte 8: expected a right checksum of the file header, it is damaged"};
  }
  if (major > kFormatMajor) {
    return Error{format_text(
        "%s: byte 8: expected .dprof version %u or older, found %u.%u: use a newer deepprof",
        name.c_str(), kFormatMajor, major, minor)};
  }
  return Done{};
}

// The offset of the next right chunk header at or after `from`; the size of the source if there is
// none.
uint64_t find_next_header(const ByteSource& source, uint64_t from) {
  constexpr size_t kWindow = 256 * 1024;
  Bytes window(kWindow);
  while (from < source.size()) {
    const size_t have = source.read_at(from, window);
    if (have < kChunkHeaderBytes) break;
    const uint8_t* const begin = window.data();
    const uint8_t* const last = begin + (have - kChunkHeaderBytes);
    for (const uint8_t* at = begin; at <= last; ++at) {
      at = static_cast<const uint8_t*>(
          std::memchr(at, kChunkMagic[0], static_cast<size_t>(last - at) + 1));
      if (at == nullptr) break;
      if (decode_chunk_header(std::span<const uint8_t, kChunkHeaderBytes>(at, kChunkHeaderBytes))) {
        return from + static_cast<uint64_t>(at - begin);
      }
    }
    from += have - kChunkHeaderBytes + 1;
  }
  return source.size();
}

}  // namespace

Result<ChunkScan> scan_chunks(const ByteSource& source, const std::string& name) {
  if (const Status status = check_file_header(source, name); !status.ok()) {
    return Error{status.error()};
  }
  ChunkScan scan;
  uint64_t at = kFileHeaderBytes;
  while (at < source.size()) {
    std::array<uint8_t, kChunkHeaderBytes> bytes{};
    const bool whole = source.read_at(at, bytes) == bytes.size();
    const std::optional<ChunkHeader> header = whole ? decode_chunk_header(bytes) : std::nullopt;
    const uint64_t end = header ? at + kChunkHeaderBytes + header->length : at;
    if (header && end <= source.size()) {
      if (header->type != ChunkType::free) scan.chunks.push_back({*header, at});
      at = end;
      continue;
    }
    const uint64_t next = find_next_header(source, at + 1);
    // Room that is free may be cut without loss.
    if (!header || header->type != ChunkType::free) {
      scan.damage.push_back({at, next - at, next == source.size()});
    }
    at = next;
  }
  std::stable_sort(scan.chunks.begin(), scan.chunks.end(), [](const auto& a, const auto& b) {
    return a.header.sequence < b.header.sequence;
  });
  return scan;
}

bool read_payload(const ByteSource& source, const FoundChunk& chunk, Bytes& payload) {
  payload.resize(chunk.header.length);
  return source.read_at(chunk.offset + kChunkHeaderBytes, payload) == payload.size() &&
         crc32c(payload) == chunk.header.payload_crc;
}

}  // namespace deepprof
