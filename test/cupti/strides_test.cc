#include "libdeepprof/cupti/strides.h"

#include "test/support/catch.h"

namespace deepprof::cupti {
namespace {

// A CUPTI whose records of kind k have 40 + 8 k bytes, up to kind 60; it knows nothing of kind 13.
ResultCode next_record(uint8_t* buffer, size_t valid_bytes, void** record) {
  const auto at = *record == nullptr ? buffer : static_cast<uint8_t*>(*record);
  const uint32_t kind = kRecordKind.read(at);
  if (kind == 13 || kind > 60) return 21;
  const size_t stride = 40 + 8 * kind;
  uint8_t* const next = *record == nullptr ? buffer : at + stride;
  if (next + stride > buffer + valid_bytes) return 12;
  *record = next;
  return kSuccess;
}

ResultCode never(uint8_t*, size_t, void**) { return kUnknownError; }

// A walker that claims a record has no length.
ResultCode stuck(uint8_t* buffer, size_t, void** record) {
  *record = buffer;
  return kSuccess;
}

}  // namespace

TEST_CASE("the probe measures the size of every kind that the library knows") {
  const Strides strides = probe_strides(RecordWalker(&next_record));
  CHECK(strides[1] == 48);
  CHECK(strides[10] == 120);
  CHECK(strides[60] == 520);
  CHECK(strides[13] == 0);
  CHECK(strides[61] == 0);
  CHECK(strides[kKindLimit + 5] == 0);
}

TEST_CASE("a kind is readable only if its records hold all our fields") {
  const Strides strides = probe_strides(RecordWalker(&next_record));
  CHECK_FALSE(strides.readable(10));  // 120 bytes, a kernel needs 144
  CHECK(strides.readable(51));
  CHECK_FALSE(strides.readable(60));  // of a known size, but not a kind that we decode
}

TEST_CASE("a library whose walker refuses or stands still has no readable kind") {
  for (const RecordWalker& walker : {RecordWalker(&never), RecordWalker(&stuck)}) {
    const Strides strides = probe_strides(walker);
    for (uint32_t kind = 0; kind < kKindLimit; ++kind) CHECK_FALSE(strides.readable(kind));
  }
}

}  // namespace deepprof::cupti
