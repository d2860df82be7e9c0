// Files whose GPU and host clocks are apart.
#include "analysis/import/settle_clocks.h"

#include "analysis/model/facts.h"
#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using deepprof::test::TraceBuilder;

namespace {

constexpr int64_t kDays_us = int64_t{414'267} * 1'000'000;

// Launches every 100 us; each op begins `apart` + i * `drift` + 5 us behind its launch, every
// fourth 300 us later.
Trace apart_by(int64_t apart, int64_t drift = 0) {
  TraceBuilder t;
  for (int64_t i = 0; i < 80; ++i) {
    const int64_t at = 1000 * i, begin = at + 5 + apart + i * drift + (i % 4 == 3 ? 300 : 0);
    t.launch("cudaLaunchKernel", at, at + 3).kernel("k", begin, begin + 40);
  }
  return t.build();
}

}  // namespace

TEST_CASE("clocks that keep their distance are brought together: no op begins before its launch") {
  for (const int64_t apart : {kDays_us, int64_t{-20'000}}) {
    Trace trace = apart_by(apart);
    settle_clocks(trace);
    REQUIRE(trace.ops.size() == 80);
    for (const Op& op : trace.ops) {
      REQUIRE(op.launch != kNone);
      const int64_t delay_ns = op.start_ns - trace.calls[op.launch].start_ns;
      CHECK((delay_ns == 0 || delay_ns == 300'000));
    }
    CHECK(integer_fact(trace, kClockMoved) == -(apart + 5) * 1000);
    CHECK(find_fact(trace, kClockUnusable) == nullptr);
  }
}

TEST_CASE("clocks whose distance changes leave ops without launches") {
  Trace trace = apart_by(kDays_us, 50'000);
  settle_clocks(trace);
  for (const Op& op : trace.ops) CHECK(op.launch == kNone);
  CHECK(find_fact(trace, kClockUnusable) != nullptr);
  CHECK(find_fact(trace, kClockMoved) == nullptr);
}

TEST_CASE("ops that queue, for long or a few before their call as it seems, are left as they are") {
  for (const int64_t apart : {int64_t{0}, int64_t{50'000}, int64_t{-4}}) {
    Trace trace = apart_by(apart);
    const int64_t first_ns = trace.ops.front().start_ns;
    settle_clocks(trace);
    CHECK(trace.ops.front().start_ns == first_ns);
    CHECK(trace.process.facts.empty());
  }
  Trace none;
  none.finish();
  settle_clocks(none);
  CHECK(none.process.facts.empty());
}

TEST_CASE("devices are settled one by one") {
  TraceBuilder t;
  for (int64_t i = 0; i < 20; ++i) {
    t.device(0)
        .launch("cudaLaunchKernel", 100 * i, 100 * i + 3)
        .kernel("a", 100 * i + 5, 100 * i + 20);
    const int64_t far = 100 * i + 50 + kDays_us;
    t.device(1).launch("cudaLaunchKernel", 100 * i + 50, 100 * i + 53).kernel("b", far, far + 20);
  }
  Trace trace = t.build();
  settle_clocks(trace);
  for (const Op& op : trace.ops)
    CHECK(op.start_ns - trace.calls[op.launch].start_ns == (op.device == 0 ? 5000 : 0));
}
