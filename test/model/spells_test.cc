#include "analysis/model/spells.h"

#include "analysis/iterations/mine.h"
#include "analysis/report/figures.h"
#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using deepprof::test::TraceBuilder;

TEST_CASE("the time for which another tool had CUPTI is a hole, never idle time") {
  TraceBuilder t(1'000'000);
  t.launch("cudaLaunchKernel", 0, 1).kernel("a", 1, 100);
  t.launch("cudaLaunchKernel", 5000, 5001).kernel("a", 5002, 5100);
  t.raw().clock_base_ns = 1'000;
  // from 120 ms on: what ran in between was in buffers that went to the other tool
  t.raw().process.facts = {
      {"takeover.1", std::to_string(t.at(120) + 1'000) + " " + std::to_string(t.at(5000) + 1'000)}};
  Trace trace = t.build();
  add_spell_holes(trace);
  REQUIRE(holes_of(trace, 0).size() == 1);
  CHECK(holes_of(trace, 0)[0].start_ns == t.at(100));
  CHECK(holes_of(trace, 0)[0].end_ns == t.at(5000));
  CHECK(holes_of(trace, kHostDevice).size() == 1);
  const Mined mined = mine(trace);
  const Figures figures = compute_figures(trace, mined);
  CHECK(figures.devices[0].run.idle_ns == 2'000'000);  // behind it
}

TEST_CASE("a GPU that was idle for long before another tool came was idle") {
  TraceBuilder t(1'000'000);
  t.kernel("a", 1, 100).kernel("a", 90'000, 90'001);
  t.raw().process.facts = {
      {"takeover.1", std::to_string(t.at(60'000)) + " " + std::to_string(t.at(80'000))}};
  Trace trace = t.build();
  add_spell_holes(trace);
  REQUIRE(holes_of(trace, 0).size() == 1);
  CHECK(holes_of(trace, 0)[0].start_ns == t.at(60'000));
}

TEST_CASE("a spell that no clock can mean is none") {
  TraceBuilder t;
  t.kernel("a", 1, 100);
  t.raw().clock_base_ns = INT64_MIN;
  t.raw().process.facts = {{"takeover.1", "1 9223372036854775807"},
                           {"takeover.2", "-5 5"},
                           {"takeover.3", "7"},
                           {"takeover.4", "9223372036854775807 1"}};
  Trace trace = t.build();
  add_spell_holes(trace);
  CHECK(trace.holes.empty());
}
