// The frame of a .dprof file: a 16-byte file header, then chunks, each a 32-byte header and a
// payload. docs/trace-format.md is the specification; this header is its frame part in C++.
//
//   file header   | magic 8 | major 2 | minor 2 | CRC-32C of the 12 bytes before 4 |
//   chunk header  | magic 4 | type 2 | version 1 | 0 1 | length 4 | segment 4 | sequence 8 |
//                 | CRC-32C of the payload 4 | CRC-32C of the 28 bytes before 4 |
//
// The two CRCs are apart so that a damaged payload can be stepped over by its length.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "libdeepprof/trace/bytes.h"

namespace deepprof {

inline constexpr std::array<uint8_t, 8> kFileMagic = {0x89, 'D', 'P', 'R', 'O', 'F', 0x0d, 0x0a};
inline constexpr uint16_t kFormatMajor = 1;  // readers refuse a newer one
inline constexpr uint16_t kFormatMinor = 2;  // readers skip chunks they do not know
inline constexpr size_t kFileHeaderBytes = 16;
inline constexpr size_t kChunkHeaderBytes = 32;
inline constexpr std::array<uint8_t, 4> kChunkMagic = {0xd7, 'd', 'p', 0xc5};
// Far above what the writer makes; a longer one is damage that happens to pass the CRC.
inline constexpr uint32_t kMaxPayloadBytes = uint32_t{1} << 30;

// Numbers on disk: append only.
enum class ChunkType : uint16_t {
  free = 0,     // room that may be written again; the payload is meaningless
  segment = 1,  // a segment of raw events begins
  names = 2,
  threads = 3,
  devices = 4,
  facts = 5,         // all of them; the last chunk wins
  losses = 6,        // the last chunk wins
  details = 7,       // belongs to its segment
  events = 8,        // belongs to its segment
  samples = 9,       // belongs to its segment
  ranges = 10,       // belongs to its segment
  blob = 11,         // key and opaque bytes; the last of a key wins
  index = 12,        // the closing chunk
  let_go = 13,       // segments that do not count any more, and when they ran; the last chunk wins
  allocations = 14,  // belongs to its segment
};
inline constexpr uint16_t kChunkTypeCount = 15;
std::string_view chunk_type_name(ChunkType type);

struct ChunkHeader {
  ChunkType type = ChunkType::free;
  uint8_t version = 1;    // of the payload's layout
  uint32_t length = 0;    // of the payload
  uint32_t segment = 0;   // the segment it belongs to; 0: none, never let go
  uint64_t sequence = 0;  // grows by one with every chunk written; the order in which to read
  uint32_t payload_crc = 0;
};

void encode(const ChunkHeader& header, std::span<uint8_t, kChunkHeaderBytes> out);
// Nothing if the bytes are not a chunk header with a right CRC.
std::optional<ChunkHeader> decode_chunk_header(std::span<const uint8_t, kChunkHeaderBytes> bytes);

std::array<uint8_t, kFileHeaderBytes> encode_file_header();

}  // namespace deepprof
