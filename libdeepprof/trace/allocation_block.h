// The payload of a chunk of allocations (docs/trace-format.md): steps by column. Each block tells
// what is in use by itself, whatever other blocks were let go.
#pragma once

#include <span>
#include <vector>

#include "libdeepprof/event/allocation.h"
#include "libdeepprof/trace/bytes.h"
#include "libdeepprof/trace/stream.h"

namespace deepprof {

inline constexpr size_t kBlockAllocations = 4096;      // what the writer fills a block with
inline constexpr size_t kMaxBlockAllocations = 65536;  // what a reader accepts

void encode_allocations(std::span<const Allocation> allocations, StreamPacker& packer,
                        ByteSink& out);
// False for a malformed payload.
bool decode_allocations(ByteSpan payload, StreamUnpacker& unpacker,
                        std::vector<Allocation>& allocations);

}  // namespace deepprof
