#include "analysis/breakdown/sm_efficiency.h"

#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using deepprof::test::TraceBuilder;

namespace {

void grid(TraceBuilder& t, uint32_t blocks) {
  Detail detail;
  detail.grid_x = blocks;
  detail.grid_y = detail.grid_z = 1;
  t.raw().details.push_back(detail);
  t.raw().ops.back().detail = static_cast<uint32_t>(t.raw().details.size() - 1);
}

double filled(TraceBuilder& t, int64_t from, int64_t to, uint32_t sms = 100) {
  t.raw().devices.push_back({.id = 0, .name = "GPU", .sm_count = sms});
  const Trace trace = t.build();
  return sm_filled_ns(trace, ops_of_device(trace, 0), std::vector<Window>{{t.at(from), t.at(to)}});
}

}  // namespace

TEST_CASE("a kernel fills the share of the SMs that it has blocks for, and no more than all") {
  TraceBuilder t(1);
  t.kernel("half", 0, 10);
  grid(t, 50);
  t.kernel("many", 20, 30);
  grid(t, 5000);
  CHECK(filled(t, 0, 100) == Approx(5 + 10));
}

TEST_CASE("kernels that run at the same time fill the SMs together") {
  TraceBuilder t(1);
  t.kernel("a", 0, 10);
  grid(t, 60);
  t.stream(8).kernel("b", 5, 15);
  grid(t, 60);
  CHECK(filled(t, 0, 100) == Approx(5 * .6 + 5 * 1 + 5 * .6));
}

TEST_CASE("only the windows count") {
  TraceBuilder t(1);
  t.kernel("a", 0, 100);
  grid(t, 50);
  CHECK(filled(t, 10, 30) == Approx(10));
}

TEST_CASE("one unknown grid, or unknown SMs, make the estimate unknown") {
  TraceBuilder t(1);
  t.kernel("a", 0, 10);
  grid(t, 50);
  t.kernel("no grid", 20, 30);
  CHECK(filled(t, 0, 100) < 0);
  t = TraceBuilder(1);
  t.kernel("a", 0, 10);
  grid(t, 50);
  CHECK(filled(t, 0, 100, 0) < 0);
}
