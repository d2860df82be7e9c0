#include "libdeepprof/cupti/strides.h"

#include <algorithm>

namespace deepprof::cupti {
namespace {

// Larger than any record; one that claims more is not believed.
constexpr size_t kProbeBytes = 2048;

size_t probe(const RecordWalker& next_record, uint32_t kind) {
  // The kind's number stands at every 8 bytes: wherever the second record begins, it looks like
  // one.
  alignas(8) uint64_t words[kProbeBytes / sizeof(uint64_t)];
  std::fill(std::begin(words), std::end(words), uint64_t{kind});
  auto* buffer = reinterpret_cast<uint8_t*>(words);
  void* record = nullptr;
  if (next_record(buffer, kProbeBytes, &record) != kSuccess || record != buffer) return 0;
  if (next_record(buffer, kProbeBytes, &record) != kSuccess || record == nullptr) return 0;
  const auto stride = static_cast<size_t>(static_cast<uint8_t*>(record) - buffer);
  return stride < kProbeBytes && stride % 8 == 0 ? stride : 0;
}

}  // namespace

Strides probe_strides(const RecordWalker& next_record) {
  Strides strides;
  for (uint32_t kind = 1; kind < kKindLimit; ++kind) {
    strides.bytes[kind] = static_cast<uint16_t>(probe(next_record, kind));
  }
  return strides;
}

}  // namespace deepprof::cupti
