// Optimizer steps as a framework tells of them.
#include "analysis/device/steps.h"

#include "libdeepprof/event/metric.h"
#include "test/support/catch.h"

namespace deepprof {
namespace {

constexpr int64_t kMillisecond_ns = 1'000'000;

// A step ends every 10 ms and took `took_ms`.
Trace steps_of(int64_t took_ms) {
  Trace trace;
  const NameId name = trace.names.intern(metric_name(Metric::optimizer_step));
  for (int64_t i = 1; i <= 50; ++i)
    trace.samples.push_back(
        {i * 10 * kMillisecond_ns, static_cast<double>(took_ms * kMillisecond_ns), name, 0});
  trace.finish();
  return trace;
}

}  // namespace

TEST_CASE("a step reaches from the end of the one before to its own") {
  const Steps steps = find_steps(SampleIndex(steps_of(2)));
  CHECK(steps.count == 50);
  REQUIRE(steps.windows.size() == 49);
  CHECK(steps.windows[0] == Window{10 * kMillisecond_ns, 20 * kMillisecond_ns});
  CHECK(steps.optimizer_ns[0] == 2 * kMillisecond_ns);
  CHECK(steps.overlapping == 0);
}

TEST_CASE(
    "steps that overlap are those of several threads, and the optimizer takes no more than the "
    "time there is") {
  const Steps steps = find_steps(SampleIndex(steps_of(35)));
  CHECK(steps.overlapping == 49);
  for (const int64_t ns : steps.optimizer_ns) CHECK(ns == 10 * kMillisecond_ns);
}

}  // namespace deepprof
