// Iterations among which something else comes: evaluations now and then, another job, a recording
// that was switched on within one.
#include <algorithm>
#include <string>

#include "analysis/iterations/mine.h"
#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using deepprof::test::TraceBuilder;

namespace {

// Ops of 8 us, 10 us apart.
class Writer {
 public:
  void kernel(const std::string& name) {
    builder_.launch("cudaLaunchKernel", time_ - 5, time_ + 4).kernel(name, time_, time_ + 8);
    time_ += 10;
  }
  void copy(CopyKind kind, uint64_t bytes = 4096) {
    builder_.launch("cudaMemcpyAsync", time_ - 5, time_ + 4).copy(kind, time_, time_ + 8, bytes);
    time_ += 10;
  }
  void pause(int64_t us) { time_ += us; }
  DeviceMined mined() { return mine(builder_.build()).devices.at(0); }

 private:
  TraceBuilder builder_;
  int64_t time_ = 100;
};

std::vector<uint32_t> firsts(const DeviceMined& mined) {
  std::vector<uint32_t> result;
  for (const Iteration& iteration : mined.iterations) result.push_back(iteration.first);
  return result;
}

// `every` steps, then an evaluation that is the first third of one and reads a result; six times.
DeviceMined evaluated_every(int every, bool optimizer, bool fed) {
  Writer w;
  const auto pass = [&](int ops) {
    w.pause(200);
    if (fed) w.copy(CopyKind::host_to_device);
    for (int op = 0; op < ops; ++op)
      w.kernel(optimizer && op >= 57 ? "adam_kernel" : "kernel_" + std::to_string(op));
  };
  for (int i = 0; i < 6 * every; ++i) {
    pass(60);
    if (i % every != every - 1) continue;
    pass(20);
    w.copy(CopyKind::device_to_host);
  }
  return w.mined();
}

void step_of_60(Writer& w) {
  w.pause(50);
  w.copy(CopyKind::host_to_device);
  for (int op = 0; op < 60; ++op) w.kernel("kernel_" + std::to_string(op));
}

}  // namespace

TEST_CASE("an evaluation behind every few steps makes no cycle of them") {
  for (const bool optimizer : {true, false}) {
    for (const int every : {3, 5, 7}) {
      CAPTURE(optimizer, every);
      const DeviceMined mined = evaluated_every(every, optimizer, true);
      CHECK(mined.verdict == Verdict::iteration);
      CHECK(mined.iterations.size() == static_cast<size_t>(6 * every + 6));
    }
  }
}

TEST_CASE("a result that is read behind every few steps makes no iteration of them") {
  for (const int every : {3, 5, 7}) {
    CAPTURE(every);
    const DeviceMined mined = evaluated_every(every, false, false);
    CHECK(mined.verdict == Verdict::iteration);
    CHECK(mined.iterations.size() >= static_cast<size_t>(6 * every));
  }
}

TEST_CASE("a short job behind a long one has its iterations, though it copies much in before") {
  Writer w;
  for (int step = 0; step < 40; ++step) { step_of_60(w); }
  for (int i = 0; i < 150; ++i) w.copy(CopyKind::host_to_device, 8192);
  for (int step = 0; step < 6; ++step) {
    w.copy(CopyKind::host_to_device, 8);
    for (int op = 0; op < 25; ++op) w.kernel("other_" + std::to_string(op));
  }
  const DeviceMined mined = w.mined();
  const std::vector<uint32_t> found = firsts(mined);
  CAPTURE(found);
  REQUIRE(found.size() == 46);
  CHECK(found[40] == 40 * 61 + 150);
}

TEST_CASE("another job has its iterations behind many gaps too short to hold any") {
  Writer w;
  for (int step = 0; step < 60; ++step) {
    step_of_60(w);
    for (int op = 0; step < 20 && op < 20; ++op)
      w.kernel("odd_" + std::to_string(step) + "_" + std::to_string(op));
  }
  for (int i = 0; i < 150; ++i) w.copy(CopyKind::host_to_device, 8192);
  for (int step = 0; step < 30; ++step) {
    w.copy(CopyKind::host_to_device, 8);
    for (int op = 0; op < 25; ++op) w.kernel("other_" + std::to_string(op));
  }
  CHECK(firsts(w.mined()).size() == 90);
}

TEST_CASE("an iteration that began before the recording is none of it") {
  Writer w;
  for (int op = 0; op < 10 * 60 - 15; ++op) {
    const int at = (op + 15) % 60;
    if (at == 0) w.pause(200);
    at == 0 ? w.copy(CopyKind::host_to_device) : w.kernel("kernel_" + std::to_string(at));
  }
  const DeviceMined mined = w.mined();
  REQUIRE(mined.verdict == Verdict::iteration);
  CHECK(mined.iterations.size() == 9);
  CHECK(mined.iterations.front().first == 45);
}

TEST_CASE("iterations are cut where they go on behind an evaluation") {
  // Each step copies and pauses in its middle, and begins with neither.
  Writer w;
  const auto pass = [&](int ops) {
    for (int op = 0; op < ops; ++op) {
      if (op == 50) w.pause(400);
      op == 30 ? w.copy(CopyKind::host_to_device) : w.kernel("kernel_" + std::to_string(op));
    }
  };
  std::vector<uint32_t> expected;
  uint32_t at = 0;
  for (int i = 0; i < 24; ++i) {
    expected.push_back(at);
    pass(60), at += 60;
    if (i % 4 != 3) continue;
    expected.push_back(at);
    pass(20), at += 20;
    w.copy(CopyKind::device_to_host), ++at;
  }
  const DeviceMined mined = w.mined();
  REQUIRE(mined.verdict == Verdict::iteration);
  CHECK(firsts(mined) == expected);
}

TEST_CASE("Results read one by one are no iterations beside the training behind them") {
  Writer w;
  for (int batch = 0; batch < 8; ++batch) {
    w.copy(CopyKind::host_to_device);
    for (int op = 0; op < 10; ++op) w.kernel("decode_" + std::to_string(op));
    for (int read = 0; read < 400; ++read) w.copy(CopyKind::device_to_host, 4);
  }
  for (int step = 0; step < 5; ++step) {
    w.copy(CopyKind::host_to_device);
    for (int op = 0; op < 400; ++op) w.kernel("kernel_" + std::to_string(op));
    for (int op = 0; op < 6; ++op) w.kernel("adam_kernel");
  }
  const DeviceMined mined = w.mined();
  REQUIRE(mined.iterations.size() == 5);
  CHECK(mined.iterations.front().first == 8 * 411);
}

TEST_CASE("What has no backward pass is no training, where the other iterations have one") {
  Writer w;
  for (int step = 0; step < 16; ++step) {
    w.pause(300);
    w.copy(CopyKind::host_to_device);
    for (int op = 0; op < 40; ++op) w.kernel("forward_" + std::to_string(op));
    for (int op = 0; step % 4 != 0 && op < 60; ++op) w.kernel("wgrad_" + std::to_string(op));
  }
  const DeviceMined mined = w.mined();
  CHECK(mined.iterations.size() == 16);
  size_t evaluations = 0;
  for (const Section& section : mined.sections)
    evaluations += section.kind == SectionKind::evaluation ? section.iterations : 0;
  CHECK(evaluations == 4);
}

TEST_CASE("Another query behind equal ones is none of them") {
  Writer w;
  for (int query = 0; query < 6; ++query) {
    w.copy(CopyKind::host_to_device);
    for (int op = 0; op < (query < 5 ? 60 : 40); ++op)
      w.kernel((query < 5 ? "group_" : "join_") + std::to_string(op));
  }
  CHECK(w.mined().iterations.size() == 5);
}

TEST_CASE("Another loop in front is no part of the first iteration") {
  Writer w;
  for (int call = 0; call < 100; ++call) {
    for (int op = 0; op < 6; ++op) w.kernel("other_" + std::to_string(op));
  }
  for (int call = 0; call < 100; ++call) {
    w.pause(300);
    w.copy(CopyKind::host_to_device);
    for (int op = 0; op < 9; ++op) w.kernel("kernel_" + std::to_string(op));
  }
  const DeviceMined mined = w.mined();
  REQUIRE(!mined.iterations.empty());
  for (const Iteration& iteration : mined.iterations) CHECK(iteration.last - iteration.first <= 10);
}

TEST_CASE("Many results that a job which does not train reads at its end are no checkpoint") {
  for (const bool trains : {false, true}) {
    CAPTURE(trains);
    Writer w;
    for (int step = 0; step < 10; ++step) {
      w.pause(300);
      w.copy(CopyKind::host_to_device);
      for (int op = 0; op < 40; ++op) w.kernel("kernel_" + std::to_string(op));
      for (int op = 0; trains && op < 4; ++op) w.kernel("adam_kernel");
    }
    for (int read = 0; read < 50; ++read) w.copy(CopyKind::device_to_host, 1 << 20);
    const DeviceMined mined = w.mined();
    REQUIRE(mined.iterations.size() == 10);
    CHECK(mined.sections.back().kind ==
          (trains ? SectionKind::checkpoint : SectionKind::irregular));
  }
}

TEST_CASE("Layers that each read a result are one pass between a beginning and an end of it") {
  Writer w;
  for (int op = 0; op < 4; ++op) w.kernel("kernel_3");
  for (int layer = 0; layer < 20; ++layer) {
    for (int op = 0; op < 20; ++op) w.kernel("kernel_" + std::to_string(op));
    w.copy(CopyKind::device_to_host);
  }
  for (int op = 0; op < 5; ++op) w.kernel("kernel_7");
  CHECK(w.mined().verdict == Verdict::repeating_block);
}
