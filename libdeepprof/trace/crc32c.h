// CRC-32C (Castagnoli), as in iSCSI and ext4: crc32c("123456789") = 0xE3069283.
//
// Portable slice-by-8: about 1.5 GB/s, twenty times what the writer hands it, so no instruction-set
// dispatch is worth its code.
#pragma once

#include <cstdint>
#include <span>

namespace deepprof {

// `before`: the CRC of the bytes that precede these, to check data in pieces.
uint32_t crc32c(std::span<const uint8_t> bytes, uint32_t before = 0);

}  // namespace deepprof
