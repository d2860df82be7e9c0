// Finds the chunks of a .dprof file, whole or damaged.
//
// Two phases: scan_chunks() walks the headers only, and where the chain is broken looks for the
// next right header; read_payload() then reads a chunk and checks its CRC. What is returned is
// therefore what was written, or nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libdeepprof/result.h"
#include "libdeepprof/trace/chunk.h"
#include "libdeepprof/trace/input_file.h"

namespace deepprof {

struct FoundChunk {
  ChunkHeader header;
  uint64_t offset = 0;  // of the header in the file
};

// Bytes that belong to no whole chunk.
struct DamagedRange {
  uint64_t offset = 0;
  uint64_t size = 0;
  bool at_end = false;  // the file ends inside it
};

struct ChunkScan {
  std::vector<FoundChunk> chunks;  // by sequence; without free room
  std::vector<DamagedRange> damage;
};

// An error when `source` is no .dprof file, or one of a newer major version; `name` is for the
// message.
Result<ChunkScan> scan_chunks(const ByteSource& source, const std::string& name);

// False when the payload cannot be read or fails its CRC.
bool read_payload(const ByteSource& source, const FoundChunk& chunk, Bytes& payload);

}  // namespace deepprof
