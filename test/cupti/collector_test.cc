#include "libdeepprof/cupti/collector.h"

#include <algorithm>
#include <map>
#include <memory>

#include "libdeepprof/capture/clock.h"
#include "test/cupti/record_buffer.h"
#include "test/support/catch.h"

namespace deepprof::cupti {
namespace {

using test::RecordBuffer;

// A collector of a recording that begins at 100 and ends at 200, and what it makes of one buffer.
struct Bench {
  explicit Bench(size_t slots) : ring(slots) {
    Collector::Hooks hooks{[] {}, [] {}};
    collector = std::make_unique<Collector>(
        pool, std::make_unique<Decoder>(strides, api, filter, names, log, losses), ring, hooks);
    collector->keep_only(RecordingWindow(0, 100, 100));
  }
  void collect(RecordBuffer& records) {
    uint8_t* buffer = pool.take();
    REQUIRE(buffer != nullptr);
    std::copy(records.bytes().begin(), records.bytes().end(), buffer);
    REQUIRE(pool.put_full(buffer, records.bytes().size()));
    REQUIRE(collector->start());
    REQUIRE(collector->finish(monotonic_ns() + 60'000'000'000));
  }
  std::map<Kind, int> drained() {
    std::map<Kind, int> kinds;
    ring.drain(ring.published(), [&](const Event& event, const Detail*) { ++kinds[event.kind()]; });
    return kinds;
  }

  Strides strides = test::strides_of_13_0();
  Api api;
  CallFilter filter;
  DefinitionLog log;
  LossCounters losses;
  NameInterner names{log, losses, 1 << 20};
  EventRing ring;
  BufferPool pool{2, 2};
  std::unique_ptr<Collector> collector;
};

void put_allocation(RecordBuffer& buffer, uint64_t time_ns) {
  constexpr uint32_t kAllocate = 1, kDevice = 3;
  buffer.add(ActivityKind::memory2)
      .put(MemoryLayout::operation, kAllocate)
      .put(MemoryLayout::memory_kind, kDevice)
      .put(MemoryLayout::address, uint64_t{0x1000})
      .put(MemoryLayout::bytes, uint64_t{64})
      .put(MemoryLayout::time, time_ns);
}

}  // namespace

TEST_CASE("of the records outside the recorded part only allocations go on, and all are counted") {
  Bench bench(64);
  RecordBuffer buffer(bench.strides);
  buffer.kernel("k", 50, 60).kernel("k", 100, 110).kernel("k", 199, 210).kernel("k", 200, 210);
  put_allocation(buffer, 50);
  put_allocation(buffer, 150);
  bench.collect(buffer);
  CHECK(bench.drained() == std::map<Kind, int>{{Kind::kernel, 2}, {Kind::allocation, 2}});
  CHECK(bench.collector->outside_window() == 3);
  CHECK(bench.collector->records() == 6);
}

TEST_CASE("a step of before the recorded part that the ring drops is counted once") {
  constexpr int kSteps = 100;
  Bench bench(16);
  RecordBuffer buffer(bench.strides);
  for (int i = 0; i < kSteps; ++i) put_allocation(buffer, 50);
  bench.collect(buffer);
  CHECK(bench.ring.dropped() > 0);
  CHECK(bench.collector->outside_window() + bench.ring.dropped() == kSteps);
}

}  // namespace deepprof::cupti
