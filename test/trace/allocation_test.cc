#include <random>

#include "libdeepprof/event/allocation_events.h"
#include "libdeepprof/trace/allocation_block.h"
#include "libdeepprof/trace/allocation_ledger.h"
#include "test/support/catch.h"

namespace deepprof {
namespace {

using enum AllocationKind;
using enum AllocationStep;

struct Bench {
  AllocationLedger ledger;

  Allocation step(AllocationStep what, int64_t time_ns, uint64_t address, uint64_t bytes,
                  AllocationKind kind = device, uint32_t of = 0) {
    Allocation a;
    a.time_ns = time_ns;
    a.address = address;
    a.bytes = bytes;
    a.kind = kind;
    a.device = of;
    a.step = what;
    ledger.add(a);
    return a;
  }
  AllocationTotals totals(AllocationKind kind = device, uint32_t of = 0) const {
    return ledger.totals().at({of, kind});
  }
};

}  // namespace

TEST_CASE("what is in use follows from what is allocated and released") {
  Bench bench;
  CHECK(bench.step(allocate, 10, 0x100, 1000).in_use_bytes == 1000);
  CHECK(bench.step(allocate, 20, 0x900, 500).in_use_bytes == 1500);
  CHECK(bench.step(release, 30, 0x100, 1000).in_use_bytes == 500);
  CHECK(bench.step(allocate, 40, 0x100, 300).in_use_bytes == 800);
  const AllocationTotals totals = bench.totals();
  CHECK(totals.allocations == 3);
  CHECK(totals.releases == 1);
  CHECK(totals.allocated_bytes == 1800);
  CHECK(totals.in_use_bytes == 800);
  CHECK(totals.peak_bytes == 1500);
  CHECK(totals.peak_ns == 20);
  CHECK(totals.first_ns == 10);
  CHECK(totals.last_ns == 40);
  CHECK(totals.unmatched == 0);
}

TEST_CASE("totals that are counted anew begin with what is in use, and its pieces") {
  Bench bench;
  bench.step(allocate, 10, 0x100, 1000);
  bench.step(allocate, 20, 0x200, 500);
  bench.step(release, 30, 0x200, 0);
  bench.step(release, 31, 0x999, 0);
  bench.ledger.count_from(40, 40);
  AllocationTotals totals = bench.totals();
  CHECK(totals.allocations + totals.releases + totals.unmatched == 0);
  CHECK(totals.peak_bytes == 1000);
  CHECK(totals.peak_ns == 40);
  REQUIRE(totals.largest_at_peak.size() == 1);
  CHECK(totals.largest_at_peak.front() == LiveAllocation{10, 0x100, 1000});
  bench.step(allocate, 50, 0x999, 1);  // its release was counted before
  bench.step(release, 60, 0x100, 0);
  totals = bench.totals();
  CHECK(totals.peak_bytes == 1001);
  CHECK(totals.in_use_bytes == 1);
  CHECK(totals.releases == 1);
  CHECK(totals.allocated_bytes == 1);
}

TEST_CASE("what comes late from before the counting changes what is in use, and no count") {
  Bench bench;
  bench.step(allocate, 10, 0x100, 1000);
  bench.ledger.count_from(40, 45);
  bench.step(release, 60, 0x300, 0);     // of what was allocated before, which is not known yet
  bench.step(allocate, 30, 0x200, 500);  // late
  bench.step(allocate, 35, 0x300, 70);   // late
  AllocationTotals totals = bench.totals();
  CHECK(totals.in_use_bytes == 1500);
  CHECK(totals.peak_bytes == 1500);
  CHECK(totals.peak_ns == 40);
  CHECK(totals.allocations == 0);
  CHECK(totals.allocated_bytes == 0);
  CHECK(totals.releases == 1);
  CHECK(totals.unmatched == 0);
  CHECK(totals.first_ns >= 40);
  bench.step(release, 38, 0x100, 0);  // late
  bench.step(release, 39, 0x999, 0);  // late, of nothing that is known
  bench.step(release, 70, 0x200, 0);
  totals = bench.totals();
  CHECK(totals.in_use_bytes == 0);
  CHECK(totals.releases == 2);
  CHECK(totals.unmatched == 0);
}

TEST_CASE("as many kinds and devices are stored as are read back") {
  AllocationLedger ledger;
  for (uint32_t device = 0; device <= UINT16_MAX; ++device) {
    Allocation a;
    a.device = device;
    a.address = 1 + device;
    a.bytes = 10;
    a.kind = framework;
    ledger.add(a);
  }
  const AllocationLedger::Totals totals = ledger.totals();
  REQUIRE(totals.size() == UINT16_MAX + size_t{1});
  CHECK(AllocationLedger::decode(AllocationLedger::encode(totals)) == totals);
}

TEST_CASE("sums stop where no machine comes, and totals beyond are damaged") {
  Bench bench;
  for (uint64_t i = 1; i < 5000; ++i) bench.step(allocate, 1, i, kMostAllocation_bytes);
  const AllocationTotals totals = bench.totals();
  CHECK(totals.in_use_bytes == kMostInUse_bytes);
  CHECK(totals.peak_bytes == kMostInUse_bytes);
  CHECK(AllocationLedger::decode(AllocationLedger::encode(bench.ledger.totals())));

  AllocationLedger::Totals broken = bench.ledger.totals();
  broken.begin()->second.peak_bytes = uint64_t{1} << 63;
  CHECK_FALSE(AllocationLedger::decode(AllocationLedger::encode(broken)));
}

TEST_CASE("kinds and devices are apart, and a release finds its piece whatever its record says") {
  Bench bench;
  bench.step(allocate, 1, 0x100, 1000, device, 0);
  bench.step(allocate, 2, 0x200, 70, pinned, Allocation::kHost);
  bench.step(allocate, 3, 0x300, 9, managed, 1);
  const Allocation freed = bench.step(release, 4, 0x300, 0, unknown, 0);
  CHECK(freed.kind == managed);
  CHECK(freed.device == 1);
  CHECK(freed.bytes == 9);
  CHECK(bench.totals().in_use_bytes == 1000);
  CHECK(bench.totals(pinned, Allocation::kHost).in_use_bytes == 70);
  CHECK(bench.totals(managed, 1).in_use_bytes == 0);
  CHECK(bench.ledger.totals().size() == 3);
}

TEST_CASE("the largest pieces at the peak stay known when they are released") {
  Bench bench;
  for (uint64_t i = 1; i <= 30; ++i)
    bench.step(allocate, static_cast<int64_t>(i), i * 0x1000, 10 * i);
  for (uint64_t i = 1; i <= 30; ++i)
    bench.step(release, 100 + static_cast<int64_t>(i), i * 0x1000, 0);
  bench.step(allocate, 200, 0x99, 5);
  const AllocationTotals totals = bench.totals();
  CHECK(totals.peak_ns == 30);
  REQUIRE(totals.largest_at_peak.size() == AllocationLedger::kMostNamed);
  CHECK(totals.largest_at_peak.front() == LiveAllocation{30, 30 * 0x1000, 300});
  CHECK(totals.largest_at_peak.back().bytes == 210);
}

TEST_CASE("releases of what was never seen allocated are counted and change nothing") {
  Bench bench;
  bench.step(allocate, 1, 0x100, 1000);
  CHECK(bench.step(release, 2, 0x200, 400).in_use_bytes == 1000);
  CHECK(bench.totals().unmatched == 1);
}

TEST_CASE("an allocation that comes behind its release leaves nothing in use") {
  Bench bench;
  bench.step(release, 20, 0x100, 1000);
  CHECK(bench.step(allocate, 10, 0x100, 1000).in_use_bytes == 0);
  CHECK(bench.totals().unmatched == 0);
  // one after the release is another piece
  bench.step(release, 30, 0x200, 1000);
  CHECK(bench.step(allocate, 40, 0x200, 1000).in_use_bytes == 1000);
  CHECK(bench.totals().unmatched == 1);
}

TEST_CASE("what comes late changes nothing of the piece that was allocated there after it") {
  for (const bool allocation_late : {false, true}) {
    CAPTURE(allocation_late);
    Bench bench;
    const auto add = [&](AllocationStep what, int64_t time_ns, uint64_t bytes) {
      Allocation a;
      a.time_ns = time_ns;
      a.address = 0x100;
      a.bytes = bytes;
      a.kind = device;
      a.step = what;
      if (auto displaced = bench.ledger.displaced_by(a)) bench.ledger.add(*displaced);
      bench.ledger.add(a);
    };
    if (!allocation_late) add(allocate, 10, 100);
    add(allocate, 30, 700);
    if (allocation_late) add(allocate, 10, 100);
    add(release, 20, 0);
    CHECK(bench.totals().in_use_bytes == 700);
    CHECK(bench.totals().allocations == 2);
    CHECK(bench.totals().releases == 1);
    CHECK(bench.totals().unmatched == 0);
    add(release, 40, 0);
    CHECK(bench.totals().in_use_bytes == 0);
    CHECK(bench.totals().releases == 2);
  }
}

TEST_CASE("a release that comes first is counted where its piece turns out to have been") {
  Bench bench;
  CHECK(bench.step(release, 20, 0x100, 1000, unknown, 3).bytes == 0);
  CHECK(bench.step(allocate, 10, 0x100, 1000, managed, 1).bytes == 0);  // changes nothing in use
  const AllocationLedger::Totals totals = bench.ledger.totals();
  REQUIRE(totals.size() == 1);
  CHECK(totals.at({1, managed}).allocations == 1);
  CHECK(totals.at({1, managed}).releases == 1);
  CHECK(totals.at({1, managed}).unmatched == 0);
  CHECK(totals.at({1, managed}).allocated_bytes == 1000);
}

TEST_CASE("every step changes what is in use by its bytes, also where records are missing") {
  std::mt19937_64 random(6);
  Bench bench;
  uint64_t in_use = 0;
  for (int64_t i = 0; i < 20'000; ++i) {
    Allocation a;
    a.time_ns = i - static_cast<int64_t>(random() % 5);
    a.address = 1 + random() % 40;
    a.bytes = 1 + random() % 1000;
    a.step = random() % 2 == 0 ? allocate : release;
    a.kind = device;
    std::vector<Allocation> steps;
    if (const auto gone = bench.ledger.displaced_by(a)) steps.push_back(*gone);
    steps.push_back(a);
    for (Allocation& step : steps) {
      REQUIRE(bench.ledger.add(step));
      in_use += step.step == allocate ? step.bytes : uint64_t{0} - step.bytes;
      REQUIRE(step.in_use_bytes == in_use);
    }
  }
  CHECK(bench.totals().unmatched > 0);
  CHECK(bench.totals().in_use_bytes == in_use);
}

TEST_CASE("a release that nobody recorded is no event; one without a correlation id is") {
  Bench bench;
  bench.step(allocate, 1, 0x100, 1000);
  CHECK(is_event(bench.step(release, 2, 0x100, 1000)));
  bench.step(allocate, 3, 0x100, 1000);
  Allocation again;
  again.time_ns = 4;
  again.address = 0x100;
  again.kind = device;
  const auto displaced = bench.ledger.displaced_by(again);
  REQUIRE(displaced);
  CHECK_FALSE(is_event(*displaced));
}

TEST_CASE("what was in use before the first step is given back by releases of unknown pieces") {
  Bench bench;
  bench.ledger.start_with({0, framework}, 500, 5);
  CHECK(bench.step(allocate, 10, 0x100, 100, framework).in_use_bytes == 600);
  CHECK(bench.step(release, 20, 0x900, 300, framework).in_use_bytes == 300);
  CHECK(bench.step(release, 30, 0x800, 300, framework).in_use_bytes == 100);  // more than there was
  CHECK(bench.totals(framework).peak_bytes == 600);
  CHECK(bench.totals(framework).unmatched == 0);
}

TEST_CASE("pieces without an address are counted and not told apart") {
  Bench bench;
  bench.step(allocate, 10, 0, 100, framework);
  CHECK(bench.step(allocate, 20, 0, 50, framework).in_use_bytes == 150);
  CHECK(bench.step(release, 30, 0, 100, framework).in_use_bytes == 50);
  CHECK(bench.totals(framework).unmatched == 0);
  CHECK(bench.totals(framework).largest_at_peak.empty());
}

TEST_CASE("a pool holds what it was last said to hold, and says nothing where that is the same") {
  Bench bench;
  Allocation pool;
  pool.kind = pool_reserved;
  pool.address = 1;
  pool.bytes = 32;
  CHECK(bench.ledger.add(pool));
  CHECK_FALSE(bench.ledger.add(pool));
  pool.bytes = 64;
  CHECK(bench.ledger.add(pool));
  pool.address = 2;
  CHECK(bench.ledger.add(pool));
  CHECK(bench.totals(pool_reserved).in_use_bytes == 128);
  // 1 is the address of a piece of memory, too
  bench.step(release, 5, 1, 0);
  CHECK(bench.totals(pool_reserved).in_use_bytes == 128);
}

TEST_CASE("pieces beyond those that are followed are still counted") {
  Bench bench;
  const uint64_t most = AllocationLedger::kMostFollowed;
  for (uint64_t i = 1; i <= most + 3; ++i) bench.step(allocate, 1, i << 8, 2);
  CHECK(bench.totals().in_use_bytes == 2 * (most + 3));
  for (uint64_t i = 1; i <= most + 3; ++i) bench.step(release, 2, i << 8, 2);
  CHECK(bench.totals().in_use_bytes == 0);
  CHECK(bench.totals().unmatched == 0);
}

TEST_CASE("what is held never adds up, however many pieces live beside it") {
  Bench bench;
  for (uint64_t i = 1; i <= AllocationLedger::kMostFollowed; ++i)
    bench.step(allocate, 10, i << 9, 512, framework);
  bench.step(allocate, 20, 1, 900'000'000, framework_reserved);
  bench.step(allocate, 30, 1, 1'000'000'000, framework_reserved);
  CHECK(bench.step(allocate, 40, 1, 800'000'000, framework_reserved).in_use_bytes == 800'000'000);
  CHECK(bench.totals(framework_reserved).peak_bytes == 1'000'000'000);
}

TEST_CASE("totals come back from their bytes, and cut bytes are refused") {
  Bench bench;
  bench.step(allocate, 1'700'000'000'000'000'000, uint64_t{0x7f} << 40, 1000);
  bench.step(allocate, 1'700'000'000'000'000'100, 0x200, 70, pinned, Allocation::kHost);
  const AllocationLedger::Totals totals = bench.ledger.totals();
  const std::string bytes = AllocationLedger::encode(totals);
  CHECK(AllocationLedger::decode(bytes) == totals);
  for (size_t size = 0; size < bytes.size(); ++size)
    CHECK_FALSE(AllocationLedger::decode(bytes.substr(0, size)));
  CHECK_FALSE(AllocationLedger::decode("\x02" + bytes.substr(1)));
}

TEST_CASE("a block of allocations comes back as it was, with any values") {
  std::mt19937_64 random(3);
  std::vector<Allocation> steps(3000);
  for (Allocation& a : steps) {
    const bool usual = random() % 4 != 0;
    a.time_ns = static_cast<int64_t>(usual ? random() % 1000 : random());
    a.address = usual ? 0x7f0000000000 + random() % 100 * 512 : random();
    a.bytes = usual ? 512 : random();
    a.in_use_bytes = random();
    a.correlation = static_cast<uint32_t>(random());
    a.device = random() % 2 == 0 ? 0 : static_cast<uint32_t>(random());
    a.kind = static_cast<AllocationKind>(random() % kAllocationKinds);
    a.step = random() % 2 == 0 ? allocate : release;
    a.inferred = a.step == release && random() % 2 == 0;
  }
  StreamPacker packer;
  StreamUnpacker unpacker;
  ByteSink sink;
  encode_allocations(steps, packer, sink);
  std::vector<Allocation> back;
  REQUIRE(decode_allocations(sink.bytes(), unpacker, back));
  CHECK(back == steps);
  for (size_t size = 0; size < sink.size(); size += 97)
    CHECK_FALSE(decode_allocations(ByteSpan(sink.bytes()).first(size), unpacker, back));
}

TEST_CASE("steady allocation takes few bytes a step in a block") {
  Bench bench;
  std::vector<Allocation> steps;
  std::mt19937_64 random(4);
  for (int i = 0; i < 2000; ++i) {
    const auto address = 0x7f0000000000 + (random() % 64) * (uint64_t{2} << 20);
    const int64_t time =
        1'700'000'000'000'000'000 + i * 30'000 + static_cast<int64_t>(random() % 9000);
    steps.push_back(bench.step(allocate, time, address, 1 << 21, pool));
    steps.push_back(bench.step(release, time + 20'000, address, 1 << 21, pool));
  }
  StreamPacker packer;
  ByteSink sink;
  encode_allocations(steps, packer, sink);
  CHECK(sink.size() < 8 * steps.size());
}

}  // namespace deepprof
