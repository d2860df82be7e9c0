// Strings made to be hard: the miner must come back, soon and with an answer that holds together.
#include <string>

#include "analysis/iterations/mine.h"
#include "test/support/catch.h"
#include "test/support/job.h"
#include "test/support/mined_invariants.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

// One op for each symbol, 10 us apart, launched in order.
Trace spell(const std::vector<uint32_t>& symbols, bool one_time = false) {
  Trace trace;
  std::vector<NameId> names;
  trace.ops.reserve(symbols.size());
  for (uint32_t i = 0; i < symbols.size(); ++i) {
    while (names.size() <= symbols[i])
      names.push_back(trace.names.intern("k" + std::to_string(names.size())));
    Op op;
    op.start_ns = one_time ? 1000 : 1000 + int64_t{i} * 10000;
    op.duration_ns = one_time ? 0 : 5000;
    op.correlation = i + 1;
    op.name = names[symbols[i]];
    op.kind = Kind::kernel;
    trace.ops.push_back(op);
  }
  trace.finish();
  return trace;
}

void check(const Trace& trace) {
  for (const DeviceMined& mined : mine(trace).devices) {
    CHECK(broken_invariant(trace, mined) == "");
    CHECK(mined.verdict != Verdict::iteration);
  }
}

constexpr uint32_t kLong = 1u << 20;

}  // namespace

TEST_CASE("a million equal ops") { check(spell(std::vector<uint32_t>(kLong, 0))); }

TEST_CASE("a million different ops") {
  std::vector<uint32_t> symbols(kLong);
  for (uint32_t i = 0; i < kLong; ++i) symbols[i] = i;
  check(spell(symbols));
}

TEST_CASE("the Thue-Morse word, which has no cube") {
  std::vector<uint32_t> symbols(kLong);
  for (uint32_t i = 0; i < kLong; ++i)
    symbols[i] = static_cast<uint32_t>(__builtin_popcount(i)) & 1;
  check(spell(symbols));
}

TEST_CASE("the Fibonacci word, which has most runs") {
  std::vector<uint32_t> before{1}, symbols{0};
  while (symbols.size() < kLong) {
    std::vector<uint32_t> next = symbols;
    next.insert(next.end(), before.begin(), before.end());
    before = std::move(symbols);
    symbols = std::move(next);
  }
  symbols.resize(kLong);
  check(spell(symbols));
}

TEST_CASE("equal timestamps and zero durations") {
  std::vector<uint32_t> symbols;
  for (uint32_t i = 0; i < 20000; ++i) symbols.push_back(i % 50);
  check(spell(symbols, true));
}

TEST_CASE("tiny recordings") {
  for (uint32_t size = 0; size < 40; ++size) {
    std::vector<uint32_t> symbols;
    for (uint32_t i = 0; i < size; ++i) symbols.push_back(i % 3);
    check(spell(symbols));
  }
}

TEST_CASE("any trace gets an answer that holds together") {
  Random random(7);
  for (int round = 0; round < 300; ++round) {
    Trace trace;
    const int ops = random.between(0, 400), names = random.between(1, 12),
              devices = random.between(1, 3);
    const bool ids = random.chance(.7);
    std::vector<int> pattern;
    for (int i = 0; i < random.between(1, 30); ++i) pattern.push_back(random.between(0, names));
    trace.details.push_back({});
    trace.details.back().copy_kind = CopyKind::host_to_device;
    for (int i = 0; i < ops; ++i) {
      Op op;
      op.start_ns = 1 + random.between(0, 1000) * (random.chance(.5) ? 1 : 1000);
      op.duration_ns = random.between(0, 3000);
      op.correlation = ids ? static_cast<uint32_t>(random.between(0, 50) == 0
                                                       ? random.next()
                                                       : 4'294'967'200u + static_cast<uint32_t>(i))
                           : 0;
      const int symbol = random.chance(.8) ? pattern[static_cast<size_t>(i) % pattern.size()]
                                           : random.between(0, names);
      op.name = trace.names.intern(symbol == 1 ? "adam" : "k" + std::to_string(symbol));
      op.kind = symbol == 0   ? Kind::memcpy
                : symbol == 2 ? Kind::memset
                : symbol == 3 ? Kind::graph
                              : Kind::kernel;
      op.detail = symbol == 0 && random.chance(.7) ? 1 : 0;
      op.stream = static_cast<uint32_t>(random.between(0, 3));
      op.graph_node = random.chance(.1) ? static_cast<uint32_t>(random.between(0, 9)) : 0;
      op.device = static_cast<uint16_t>(random.between(0, devices - 1) * 300);
      trace.ops.push_back(op);
      if (random.chance(.5)) {
        trace.calls.push_back(
            {op.start_ns - random.between(0, 500), random.between(0, 300), op.correlation, 0, 0});
      }
    }
    trace.finish();
    for (const DeviceMined& mined : mine(trace).devices) {
      CAPTURE(round, mined.device);
      REQUIRE(broken_invariant(trace, mined) == "");
    }
  }
}
