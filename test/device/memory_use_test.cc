#include "analysis/device/memory_use.h"

#include <algorithm>

#include "test/support/catch.h"

using namespace deepprof;

namespace {

constexpr MemoryLane kGpu{0, AllocationKind::device};
constexpr uint64_t kMiB = uint64_t{1} << 20;

// Iteration i is [1000 i, 1000 (i + 1)).
std::vector<Window> iterations(size_t count) {
  std::vector<Window> windows;
  for (size_t i = 0; i < count; ++i)
    windows.push_back({static_cast<int64_t>(1000 * i), static_cast<int64_t>(1000 * (i + 1))});
  return windows;
}

class Job {
 public:
  Job& allocate(int64_t time_ns, uint64_t address, uint64_t bytes,
                AllocationKind kind = AllocationKind::device) {
    return add(time_ns, address, bytes, AllocationStep::allocate, kind);
  }
  Job& release(int64_t time_ns, uint64_t address) {
    return add(time_ns, address, 0, AllocationStep::release);
  }
  // As where a ceiling of the file let the steps [first, last) go: the totals stay.
  Job& let_go(size_t first, size_t last) {
    const auto begin = trace_.allocations.begin();
    trace_.allocations.erase(begin + static_cast<std::ptrdiff_t>(first),
                             begin + static_cast<std::ptrdiff_t>(last));
    return *this;
  }
  // As where DEEPPROF_DELAY has the recorded part begin: what came before is no step of it.
  Job& start_here(int64_t time_ns) {
    trace_.allocations.clear();
    ledger_.count_from(time_ns, time_ns);
    return *this;
  }
  // As a job that is killed leaves it: the totals are those of some steps earlier.
  Job& store_totals() {
    stored_ = AllocationLedger::encode(ledger_.totals());
    return *this;
  }
  const Trace& killed_trace() {
    trace_.blobs[std::string(AllocationLedger::kBlobKey)] = stored_;
    return trace_;
  }
  Trace& trace() {
    trace_.blobs[std::string(AllocationLedger::kBlobKey)] =
        AllocationLedger::encode(ledger_.totals());
    return trace_;
  }

 private:
  Job& add(int64_t time_ns, uint64_t address, uint64_t bytes, AllocationStep what,
           AllocationKind kind = AllocationKind::device) {
    Allocation step;
    step.time_ns = time_ns;
    step.address = address;
    step.bytes = bytes;
    step.kind = kind;
    step.step = what;
    ledger_.add(step);
    trace_.allocations.push_back(step);
    return *this;
  }

  AllocationLedger ledger_;
  std::string stored_;
  Trace trace_;
};

}  // namespace

TEST_CASE("a window knows what was in use at its start, at least, at most and at its end") {
  Job job;
  job.allocate(10, 1, 100).allocate(1010, 2, 50).release(1020, 1).allocate(1030, 3, 7);
  const MemoryIndex memory(job.trace());
  const MemoryUse use = memory.in(kGpu, {1000, 2000}).value();
  CHECK(use.start_bytes == 100);
  CHECK(use.least_bytes == 50);
  CHECK(use.most_bytes == 150);
  CHECK(use.end_bytes == 57);
  CHECK(use.growth_bytes() == -43);
  CHECK(memory.in(kGpu, {0, 5}).value().most_bytes == 0);
  CHECK_FALSE(memory.in({1, AllocationKind::device}, {0, 5}));
}

TEST_CASE("a window with steps missing in it or before it is not known, the totals are") {
  Job job;
  for (int64_t i = 0; i < 10; ++i)
    job.allocate(1000 * i + 10, static_cast<uint64_t>(i), 100 + static_cast<uint64_t>(i));
  job.let_go(3, 6);
  const MemoryIndex memory(job.trace());
  CHECK(memory.totals().at(kGpu).allocations == 10);
  CHECK(memory.totals().at(kGpu).peak_bytes == 1045);
  CHECK(memory.in(kGpu, {1000, 2000}));
  CHECK_FALSE(memory.in(kGpu, {2000, 3000}));  // what follows may have been missing in it
  CHECK_FALSE(memory.in(kGpu, {4000, 5000}));
  CHECK_FALSE(memory.in(kGpu, {6000, 7000}));
  CHECK(memory.in(kGpu, {7000, 8000}));
}

TEST_CASE("totals that cannot be read are those of the steps, and said to be") {
  Job job;
  job.allocate(10, 1, 100);
  Trace& trace = job.trace();
  CHECK_FALSE(MemoryIndex(trace).totals_damaged());
  trace.blobs[std::string(AllocationLedger::kBlobKey)] = "\xff\xff";
  const MemoryIndex memory(trace);
  CHECK(memory.totals_damaged());
  CHECK(memory.totals().at(kGpu).peak_bytes == 100);
}

TEST_CASE("of a killed job the steps behind its last totals count, too") {
  Job job;
  job.allocate(10, 1, 100).allocate(20, 2, 50).release(30, 1).store_totals();
  job.allocate(1000, 3, 700).release(1001, 2);
  const AllocationTotals whole = MemoryIndex(job.killed_trace()).totals().at(kGpu);
  CHECK(whole.peak_bytes == 750);
  CHECK(whole.in_use_bytes == 700);
  REQUIRE(whole.largest_at_peak.size() == 2);  // no step is missing: also the pieces are known
  CHECK(whole.largest_at_peak.front().bytes == 700);

  job.let_go(0, 2);
  const AllocationTotals left = MemoryIndex(job.killed_trace()).totals().at(kGpu);
  CHECK(left.allocations == 3);
  CHECK(left.releases == 2);
  CHECK(left.allocated_bytes == 850);
  CHECK(left.peak_bytes == 750);
  CHECK(left.peak_ns == 1000);
  CHECK(left.in_use_bytes == 700);
  CHECK(left.largest_at_peak.empty());
}

TEST_CASE("a window in which nothing is in use has its peak where it begins") {
  Job job;
  job.allocate(10, 1, 100).release(20, 1).allocate(5000, 2, 50);
  const Trace& trace = job.trace();
  const std::vector<Window> idle{{1000, 2000}};
  const AllocationTotals of = totals_in(trace, MemoryIndex(trace), kGpu, idle).value();
  CHECK(of.peak_bytes == 0);
  CHECK(of.peak_ns == 1000);
}

TEST_CASE("a window's totals are of its steps, on top of what was in use before") {
  Job job;
  job.allocate(10, 1, 100).allocate(1010, 2, 50).release(1020, 1).allocate(2030, 3, 7);
  const Trace& trace = job.trace();
  const MemoryIndex memory(trace);
  const std::vector<Window> second{{1000, 2000}}, both{{0, 500}, {2000, 3000}}, quiet{{1500, 1600}};
  const AllocationTotals of = totals_in(trace, memory, kGpu, second).value();
  CHECK(of.peak_bytes == 150);
  CHECK(of.peak_ns == 1010);
  CHECK(of.in_use_bytes == 50);
  CHECK(of.allocations == 1);
  CHECK(of.releases == 1);
  CHECK(of.allocated_bytes == 50);
  CHECK(totals_in(trace, memory, kGpu, both)->allocated_bytes == 107);
  CHECK(totals_in(trace, memory, kGpu, both)->in_use_bytes == 57);
  CHECK(totals_in(trace, memory, kGpu, quiet)->peak_bytes == 50);
  CHECK(totals_in(trace, memory, kGpu, quiet)->peak_ns == 1500);
  job.let_go(1, 2);
  CHECK_FALSE(totals_in(job.trace(), MemoryIndex(job.trace()), kGpu, second));
}

TEST_CASE(
    "of a part of the run what was in use before it is in the totals, also when it is killed") {
  Job job;
  job.allocate(10, 1, 1000).start_here(100).store_totals().allocate(200, 2, 50).release(300, 1);
  const AllocationTotals killed = MemoryIndex(job.killed_trace()).totals().at(kGpu);
  CHECK(killed.allocations == 1);
  CHECK(killed.peak_bytes == 1050);
  CHECK(killed.in_use_bytes == 50);
}

TEST_CASE("a release is counted once, whatever kind its own record says") {
  Job job;
  job.allocate(10, 1, 100, AllocationKind::pool).allocate(20, 2, 100, AllocationKind::pool);
  job.release(30, 1).release(40, 2);
  const AllocationLedger::Totals totals = MemoryIndex(job.trace()).totals();
  REQUIRE(totals.size() == 1);
  const AllocationTotals& pool = totals.at({0, AllocationKind::pool});
  CHECK(pool.allocations == 2);
  CHECK(pool.releases == 2);
  CHECK(pool.last_ns == 40);
}

TEST_CASE("a release that is seen before the allocation of another kind is counted once") {
  Job job;
  job.release(20, 1).allocate(10, 1, 100, AllocationKind::pool);
  const AllocationLedger::Totals totals = MemoryIndex(job.trace()).totals();
  REQUIRE(totals.size() == 1);
  CHECK(totals.at({0, AllocationKind::pool}).releases == 1);
  CHECK(totals.at({0, AllocationKind::pool}).last_ns == 20);
}

TEST_CASE("memory that every iteration keeps is growth, by its size") {
  Job job;
  for (int64_t i = 0; i < 40; ++i)
    job.allocate(1000 * i + 10, static_cast<uint64_t>(2 * i), 3 * kMiB)
        .allocate(1000 * i + 20, static_cast<uint64_t>(2 * i + 1), 64 * kMiB)
        .release(1000 * i + 30, static_cast<uint64_t>(2 * i + 1));
  const MemoryIndex memory(job.trace());
  const MemoryGrowth growth = memory.growth(kGpu, iterations(40)).value();
  CHECK(growth.iterations == 40);
  CHECK(growth.bytes_per_iteration == Approx(3.0 * kMiB).epsilon(0.01));
  CHECK_FALSE(memory.growth(kGpu, iterations(11)));  // too few to tell
}

TEST_CASE("what rises through the iterations and is given back in the last is no growth") {
  Job kept, given_back;
  for (Job* job : {&kept, &given_back}) {
    for (int64_t i = 0; i < 40; ++i)
      job->allocate(1000 * i + 10, static_cast<uint64_t>(i + 1), 3 * kMiB);
  }
  for (int64_t i = 0; i < 40; ++i) given_back.release(39'900 + i, static_cast<uint64_t>(i + 1));
  const MemoryIndex keeps(kept.trace()), gives_back(given_back.trace());
  CHECK(keeps.growth(kGpu, iterations(40)));
  CHECK(keeps.trend(kGpu, iterations(40)).value().kept_bytes == int64_t{40 * 3 * kMiB});
  CHECK_FALSE(gives_back.growth(kGpu, iterations(40)));
  CHECK(gives_back.trend(kGpu, iterations(40)).value().kept_bytes == 0);
}

TEST_CASE("what is given back, or taken once, is no growth") {
  Job gives_back, once;
  for (int64_t i = 0; i < 40; ++i) {
    gives_back.allocate(1000 * i + 10, static_cast<uint64_t>(i), 64 * kMiB)
        .release(1000 * i + 900, static_cast<uint64_t>(i));
    if (i == 0 || i == 17) once.allocate(1000 * i + 10, static_cast<uint64_t>(i), 64 * kMiB);
  }
  CHECK_FALSE(MemoryIndex(gives_back.trace()).growth(kGpu, iterations(40)));
  CHECK_FALSE(MemoryIndex(once.trace()).growth(kGpu, iterations(40)));
}

TEST_CASE("what comes once is a step in the iteration that took it, and no growth") {
  for (const size_t count : {4, 9, 40, 200}) {
    for (size_t at = 1; at + 1 < count; at += std::max<size_t>(1, count / 20)) {
      Job once;
      once.allocate(-9, 1, 512 * kMiB)
          .allocate(static_cast<int64_t>(1000 * at) + 500, 2, 64 * kMiB);
      const MemoryIndex memory(once.trace());
      const MemoryTrend trend = memory.trend(kGpu, iterations(count)).value();
      CAPTURE(count, at);
      CHECK(trend.bytes_per_iteration == 0);
      CHECK(trend.step_bytes == int64_t{64 * kMiB});
      CHECK(trend.step_at == at);
    }
  }
}

TEST_CASE("growth is told beside a step, also where only some iterations add to it") {
  constexpr size_t kCount = 96;
  for (const size_t period : {1, 2, 5, 10}) {
    Job job;
    uint64_t address = 0;
    for (size_t i = 0; i < kCount; ++i) {
      const auto start = static_cast<int64_t>(1000 * i);
      if (i % period == 0) job.allocate(start + 100, ++address, 2 * kMiB);
      if (i == 61) job.allocate(start + 200, ++address, 4096 * kMiB);
      job.allocate(start + 300, 1 << 20, 700 * kMiB).release(start + 900, 1 << 20);
    }
    const MemoryTrend trend = MemoryIndex(job.trace()).trend(kGpu, iterations(kCount)).value();
    CAPTURE(period);
    CHECK(trend.bytes_per_iteration ==
          Approx(2.0 * kMiB / static_cast<double>(period)).epsilon(0.25));
    CHECK(static_cast<double>(trend.step_bytes) == Approx(4096.0 * kMiB).epsilon(0.05));
    CHECK(trend.step_at == 61);
  }
}

TEST_CASE("growth alone has no step, and what is given back for good is one downwards") {
  Job grows, shrinks;
  for (int64_t i = 0; i < 40; ++i)
    grows.allocate(1000 * i + 10, static_cast<uint64_t>(i + 1), 3 * kMiB);
  shrinks.allocate(-9, 1, 512 * kMiB).allocate(-8, 2, 64 * kMiB).release(12'500, 2);
  const MemoryTrend growth = MemoryIndex(grows.trace()).trend(kGpu, iterations(40)).value(),
                    down = MemoryIndex(shrinks.trace()).trend(kGpu, iterations(40)).value();
  CHECK(growth.bytes_per_iteration == 3.0 * kMiB);
  CHECK(growth.step_bytes == 0);
  CHECK(down.bytes_per_iteration == 0);
  CHECK(down.step_bytes == -int64_t{64 * kMiB});
  CHECK(down.step_at == 12);
}
