// How many bytes a record of each kind takes in the CUPTI that is loaded: measured, not looked up,
// so that a CUPTI newer than this program is read correctly too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "libdeepprof/cupti/api.h"
#include "libdeepprof/cupti/records.h"

namespace deepprof::cupti {

// bytes[kind]: the record size of the kind, 0 where the loaded CUPTI does not know it.
struct Strides {
  std::array<uint16_t, kKindLimit> bytes{};

  size_t operator[](uint32_t kind) const { return kind < kKindLimit ? bytes[kind] : 0; }
  // The kind is decoded by this version and the record holds at least the fields it needs.
  bool readable(uint32_t kind) const {
    return base_record_bytes(kind) != 0 && (*this)[kind] >= base_record_bytes(kind);
  }
};

// cuptiActivityGetNextRecord of the family in use.
using RecordWalker = std::function<ResultCode(uint8_t* buffer, size_t valid_bytes, void** record)>;

// Lets CUPTI step over made-up records of every kind; takes a few microseconds. Up to 13.0 that
// works without a driver; a CUPTI that is not yet ready (13.4 before its first call into the
// driver) walks over nothing, and then no kind is readable.
Strides probe_strides(const RecordWalker& next_record);

}  // namespace deepprof::cupti
