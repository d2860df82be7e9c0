#include "analysis/iterations/mine.h"

#include <string>

#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using deepprof::test::TraceBuilder;

namespace {

// `count` training steps of `ops` kernels, fed by a copy, ended by the optimizer. 10 us an op.
Trace training(int count, int ops) {
  TraceBuilder t;
  int64_t time = 0;
  for (int step = 0; step < count; ++step) {
    time += 50;  // the host fetches a batch
    for (int op = 0; op < ops; ++op, time += 10) {
      t.launch("cudaLaunchKernel", time - 5, time - 3);
      if (op == 0) t.copy(CopyKind::host_to_device, time, time + 8, 4096);
      else t.kernel(op + 2 >= ops ? "adam_kernel" : "kernel_" + std::to_string(op), time, time + 8);
    }
  }
  return t.build();
}

}  // namespace

TEST_CASE("an empty trace has no devices, one op has no iterations") {
  CHECK(mine(Trace{}).devices.empty());
  TraceBuilder t;
  const Mined mined = mine(t.kernel("only", 0, 1).build());
  REQUIRE(mined.devices.size() == 1);
  CHECK(mined.devices[0].verdict == Verdict::none);
  CHECK_FALSE(mined.devices[0].reason.empty());
  CHECK(mined.devices[0].order.size() == 1);
}

TEST_CASE("windows of a section join without holes and sections tile the ops") {
  const Trace trace = training(20, 30);
  const DeviceMined mined = mine(trace).devices.at(0);
  REQUIRE(mined.verdict == Verdict::iteration);
  CHECK(mined.ops_per_iteration == 30);
  for (size_t i = 1; i < mined.iterations.size(); ++i) {
    CHECK(mined.iterations[i - 1].first < mined.iterations[i - 1].last);
    if (mined.iterations[i].section != mined.iterations[i - 1].section) continue;
    CHECK(mined.iterations[i].first == mined.iterations[i - 1].last);
    CHECK(mined.iterations[i].start_ns == mined.iterations[i - 1].end_ns);
  }
  uint32_t at = 0;
  for (const Section& section : mined.sections) {
    CHECK(section.first == at);
    at = section.last;
  }
  CHECK(at == mined.order.size());
}
