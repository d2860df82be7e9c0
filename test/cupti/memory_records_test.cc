// What the decoder makes of records of allocation.
#include <string>
#include <vector>

#include "libdeepprof/event/allocation.h"
#include "libdeepprof/event/allocation_events.h"
#include "test/cupti/decoder_bench.h"
#include "test/cupti/record_buffer.h"
#include "test/support/catch.h"

namespace deepprof::cupti {
namespace {

// A step as CUPTI records it.
RecordBuffer& put_step(RecordBuffer& buffer, uint32_t operation, uint32_t memory_kind,
                       uint64_t address, uint64_t bytes, uint64_t time_ns) {
  using Layout = MemoryLayout;
  return buffer.add(ActivityKind::memory2)
      .put(Layout::operation, operation)
      .put(Layout::memory_kind, memory_kind)
      .put(Layout::address, address)
      .put(Layout::bytes, bytes)
      .put(Layout::time, time_ns);
}
constexpr uint32_t kAllocateStep = 1, kReleaseStep = 2, kPinnedMemory = 2, kDeviceMemory = 3;

}  // namespace

TEST_CASE("a memory record becomes a step with its address, its bytes and whose memory it is") {
  Bench bench;
  RecordBuffer buffer = bench.buffer();
  using Layout = MemoryLayout;
  put_step(buffer, kAllocateStep, kDeviceMemory, 0x7f0000, 4096, 500)
      .put(Layout::device, 2u)
      .put(Layout::correlation, 77u);
  put_step(buffer, kReleaseStep, kPinnedMemory, 0x9000, 64, 600).put(Layout::device, UINT32_MAX);
  put_step(buffer, kAllocateStep, kDeviceMemory, 0x8000, 256, 700)
      .put(Layout::is_async, 1u)
      .put(Layout::pool_type, 1u)
      .put(Layout::pool_address, uint64_t{0xabc})
      .put(Layout::pool_bytes, uint64_t{1} << 25);
  const std::vector<Decoded> events = bench.decode(buffer);
  REQUIRE(events.size() == 3);
  CHECK(events[0].event.kind() == Kind::allocation);
  CHECK(events[0].event.start_ns == 500);
  CHECK(events[0].event.device == 2);
  CHECK(events[0].event.correlation == 77);
  const AllocationDetail first = allocation_of(events[0].detail);
  CHECK(first.address == 0x7f0000);
  CHECK(first.bytes == 4096);
  CHECK(first.kind == AllocationKind::device);
  CHECK(first.step == AllocationStep::allocate);
  CHECK(first.pool == 0);
  CHECK(events[1].event.device == kHostSlot);
  CHECK(allocation_of(events[1].detail).kind == AllocationKind::pinned);
  CHECK(allocation_of(events[1].detail).step == AllocationStep::release);
  const AllocationDetail third = allocation_of(events[2].detail);
  CHECK(third.kind == AllocationKind::pool);
  CHECK(third.pool == 1);
  CHECK(third.pool_bytes == uint64_t{1} << 25);
}

TEST_CASE("memory records of a longer CUPTI are read, those of a shorter one refused and counted") {
  constexpr auto kKind = static_cast<size_t>(ActivityKind::memory2);
  Strides longer = test::strides_of_13_0(), shorter = longer;
  longer.bytes[kKind] = 200;
  shorter.bytes[kKind] = 104;
  Bench reads(longer), refuses(shorter);
  RecordBuffer long_buffer = reads.buffer(), short_buffer = refuses.buffer();
  put_step(long_buffer, kAllocateStep, kDeviceMemory, 0x100, 1, 5);
  put_step(long_buffer, kReleaseStep, kDeviceMemory, 0x100, 1, 6);
  CHECK(reads.decode(long_buffer).size() == 2);
  short_buffer.add(ActivityKind::memory2).kernel("k", 10, 20);
  CHECK(refuses.decode(short_buffer).size() == 1);
  CHECK(refuses.lost(Loss::decode_refused) == 1);
}

TEST_CASE("memory records that cannot be used are counted, and freeing nothing is nothing") {
  Bench bench;
  RecordBuffer buffer = bench.buffer();
  put_step(buffer, kAllocateStep, kDeviceMemory, 0x100, 1, 0);  // no time
  put_step(buffer, 7, kDeviceMemory, 0x100, 1, 5);              // no such step
  put_step(buffer, kAllocateStep, kDeviceMemory, 0x100, 1, 5).put(MemoryLayout::device, 255u);
  put_step(buffer, kReleaseStep, kDeviceMemory, 0, 0, 5);
  CHECK(bench.decode(buffer).empty());
  CHECK(bench.lost(Loss::bad_timestamp) == 1);
  CHECK(bench.lost(Loss::decode_refused) == 2);
}

TEST_CASE("memory records of more bytes than there are are refused, and so is such a pool's size") {
  Bench bench;
  RecordBuffer buffer = bench.buffer();
  using Layout = MemoryLayout;
  constexpr uint64_t kMost = kMostAllocation_bytes;
  put_step(buffer, kAllocateStep, kDeviceMemory, 0x100, kMost, 5);
  put_step(buffer, kAllocateStep, kDeviceMemory, 0x200, kMost + 1, 6);
  put_step(buffer, kReleaseStep, kDeviceMemory, 0x300, UINT64_MAX, 7);
  for (const uint64_t pool_bytes : {kMost, kMost + 1}) {
    put_step(buffer, kAllocateStep, kDeviceMemory, 0x400, 64, 8)
        .put(Layout::is_async, 1u)
        .put(Layout::pool_type, 1u)
        .put(Layout::pool_address, uint64_t{0xabc})
        .put(Layout::pool_bytes, pool_bytes);
  }
  const std::vector<Decoded> events = bench.decode(buffer);
  REQUIRE(events.size() == 3);
  CHECK(allocation_of(events[0].detail).bytes == kMost);
  CHECK(allocation_of(events[1].detail).pool_bytes == kMost);
  CHECK(allocation_of(events[2].detail).pool == 0);
  CHECK(bench.lost(Loss::decode_refused) == 2);
}

}  // namespace deepprof::cupti
