// Recordings that are one thing over and over, to the op; and jobs that train less often than they
// evaluate.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "analysis/iterations/choose.h"
#include "analysis/iterations/exact_tiles.h"
#include "analysis/iterations/mine.h"
#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using deepprof::test::TraceBuilder;

namespace {

class Host {
 public:
  void kernel(const std::string& name) {
    launch("cudaLaunchKernel").kernel(name, time_, time_ + 8);
    time_ += 10;
  }
  void kernels(const std::string& name, int count) {
    for (int i = 0; i < count; ++i) kernel(name + std::to_string(i));
  }
  void input() {
    launch("cudaMemcpyAsync").copy(CopyKind::host_to_device, time_, time_ + 8, 4096);
    time_ += 10;
  }
  void pause(int64_t us) { time_ += us; }
  Trace trace() { return builder_.build(); }
  DeviceMined mined() { return mine(trace()).devices.at(0); }

 private:
  TraceBuilder& launch(const char* call) { return builder_.launch(call, time_ - 5, time_ - 3); }
  TraceBuilder builder_;
  int64_t time_ = 0;
};

// A pass of 12 equal layers with four kernels before and four behind them: 128 ops.
void forward(Host& host) {
  host.kernels("embedding_", 4);
  for (int layer = 0; layer < 12; ++layer) host.kernels("layer_", 10);
  host.kernels("head_", 4);
}

// A pass of eight parts, before each of which the host pauses, from one of them on: 51 ops.
void unlike_parts(Host& host, int pass, size_t from) {
  constexpr std::array<int, 8> kOps = {5, 7, 6, 9, 5, 8, 7, 4};
  for (size_t part = 0; part < kOps.size(); ++part) {
    const int ops = kOps[(from + part) % kOps.size()];
    host.pause(40 + pass % 3);
    host.kernels("conv_", 3);
    host.kernels("tail_of_" + std::to_string(ops) + "_", ops - 3);
  }
}

std::vector<uint32_t> lengths(const DeviceMined& mined) {
  std::vector<uint32_t> result;
  for (const Iteration& iteration : mined.iterations)
    result.push_back(iteration.last - iteration.first);
  return result;
}

uint32_t iterations_of(const DeviceMined& mined, SectionKind kind) {
  uint32_t count = 0;
  for (const Section& section : mined.sections)
    count += section.kind == kind ? section.iterations : 0;
  return count;
}

}  // namespace

TEST_CASE("Equal passes are iterations where the host pauses before each of their unlike parts") {
  Host host;
  for (int pass = 0; pass < 10; ++pass) unlike_parts(host, pass, 0);
  const DeviceMined mined = host.mined();
  CHECK(mined.verdict == Verdict::iteration);
  CHECK(lengths(mined) == std::vector<uint32_t>(10, 51));
  CHECK(mined.confidence > 0.8);
}

TEST_CASE("Equal passes are iterations, not their equal layers") {
  Host host;
  for (int pass = 0; pass < 6; ++pass) forward(host);
  const DeviceMined mined = host.mined();
  CHECK(mined.verdict == Verdict::iteration);
  CHECK(lengths(mined) == std::vector<uint32_t>(6, 128));
}

TEST_CASE("Short steps are iterations where the recording is whole ones, to the op") {
  for (const int rest : {0, 1}) {
    CAPTURE(rest);
    Host host;
    for (int step = 0; step < 8; ++step) host.kernels("kernel_", 20);
    host.kernels("kernel_", rest);
    CHECK((host.mined().verdict == Verdict::iteration) == (rest == 0));
  }
}

TEST_CASE("What is set up in front of equal passes is no part of the first") {
  Host host;
  host.kernels("fill_", 30);
  for (int pass = 0; pass < 6; ++pass) {
    host.pause(100);
    forward(host);
  }
  const DeviceMined mined = host.mined();
  REQUIRE(lengths(mined) == std::vector<uint32_t>(6, 128));
  CHECK(mined.iterations.front().first == 30);
}

TEST_CASE("Two kernels that take turns are named as what repeats, with little confidence") {
  Host host;
  host.kernels("setup_", 4);
  for (int i = 0; i < 500; ++i) host.kernels("sweep_", 2);
  host.kernels("result_", 3);
  const DeviceMined mined = host.mined();
  CHECK(mined.verdict == Verdict::repeating_block);
  CHECK(mined.iterations.size() == 500);
  CHECK(mined.ops_per_iteration == 2);
  CHECK(is_low(mined.confidence));
}

TEST_CASE("Two kernels that take turns are not named where a third of the recording is not them") {
  Host host;
  host.kernels("setup_", 200);
  for (int i = 0; i < 400; ++i) host.kernels("sweep_", 2);
  host.kernels("result_", 200);
  CHECK(host.mined().verdict == Verdict::none);
}

TEST_CASE("What repeats to the op in the middle alone is not all there is, to the op") {
  for (const int around : {0, 6}) {
    CAPTURE(around);
    Host host;
    host.kernels("setup_", 12);
    for (int pass = -around; pass < 20 + around; ++pass)
      unlike_parts(host, pass + around, pass < 0 || pass >= 20 ? (pass + around) % 3 : 0);
    const DeviceMined mined = host.mined();
    CHECK(mined.verdict == Verdict::repeating_block);
    CHECK(mined.decided_by.find("nothing but the repetition") == 0);
    CHECK((mined.decided_by.find("to the op") != std::string::npos) == (around == 0));
  }
}

TEST_CASE("What a recording consists of is named though another distance is seen in it") {
  Host host;
  // Stretches of six equal ops: two that overlap, and one nearly the whole recording later.
  for (int i = 0; i < 7; ++i) host.kernel("end");
  for (int pass = 0; pass < 3; ++pass) {
    host.kernels("early_", 50);
    if (pass == 1) host.pause(500);  // there passes are cut
    host.kernels("late_", 150);
  }
  host.kernels("result_", 18);
  for (int i = 0; i < 6; ++i) host.kernel("end");
  const DeviceMined mined = host.mined();
  CHECK(!mined.second_opinion.empty());
  CHECK(mined.verdict == Verdict::repeating_block);
  CHECK(lengths(mined) == std::vector<uint32_t>(2, 200));
}

TEST_CASE("Steps that are equal to the op are not cut at a pause in one of them") {
  Host host;
  host.kernels("adam_kernel_", 8);  // of a step before the recording
  for (int step = 0; step < 3; ++step) {
    if (step < 2) host.pause(300);
    host.input();
    host.kernels("kernel_", 26);
    if (step == 2) host.pause(900);
    host.kernels("adam_kernel_", 8);
  }
  const DeviceMined mined = host.mined();
  CHECK(lengths(mined) == std::vector<uint32_t>(3, 35));
  CHECK(mined.decided_by.find("one optimizer run in each") == 0);
}

TEST_CASE("Steps with an optimizer run are training where more passes have none") {
  Host host;
  for (int step = 0; step < 15; ++step) {
    host.pause(100);
    host.input();
    forward(host);
    if (step >= 5) continue;
    for (int layer = 0; layer < 12; ++layer) host.kernels("gradient_", 20);
    host.kernels("adam_kernel_", 6);
  }
  const DeviceMined mined = host.mined();
  CHECK(mined.verdict == Verdict::iteration);
  CHECK(mined.iterations.size() == 15);
  CHECK(iterations_of(mined, SectionKind::training) == 5);
  CHECK(iterations_of(mined, SectionKind::evaluation) == 10);
  CHECK(mined.ops_per_iteration == 1 + 128 + 240 + 6);
  CHECK(mined.nested.size() == 2);  // layers of both passes
  CHECK(mined.decided_by.find("one optimizer run in each of 5 of 15") == 0);
}

TEST_CASE("What breaks off behind steps that are equal to the op is none of them") {
  Host host;
  for (int step = 0; step < 5; ++step) {
    host.pause(200);
    host.kernels("kernel_", 30);
  }
  host.pause(200);
  host.kernels("kernel_", 12);
  host.kernels("reduce_", 6);
  const DeviceMined mined = host.mined();
  CHECK(lengths(mined) == std::vector<uint32_t>(5, 30));
}

TEST_CASE("What a recording is to the op does not depend on the window it is seen in") {
  Host host;
  for (int pass = 0; pass < 20; ++pass) forward(host);
  const Trace trace = host.trace();
  const Sequence sequence = make_sequence(trace, 0, true);
  const Evidence evidence = collect_evidence(trace, sequence);
  const Part whole{0, 20 * 128};
  for (const Part window : {whole, Part{500, 1900}}) {
    CAPTURE(window.first);
    const CopyTime copy_time(trace, sequence, window.first, window.last);
    std::vector<Weighed> levels;
    for (LevelModel& level : find_levels(sequence, evidence, window.first, window.last)) {
      if (level.run)
        levels.push_back(weigh(copy_time, sequence, evidence, std::move(level), window, whole));
    }
    REQUIRE(levels.size() == 1);
    CHECK(levels[0].level.run == Run{whole.first, whole.last, 128});
    CHECK(levels[0].coverage == 1);
    CHECK(levels[0].whole);
    CHECK(choose(levels, 0).is_iteration);
  }
}

TEST_CASE("A tile that the first border of a run cuts is partial where less than one is left") {
  for (const uint32_t begin : {98u, 94u}) {
    CAPTURE(begin);
    std::vector<Tile> tiles{{begin, 112, false}};
    for (uint32_t at = 115; at < 195; at += 10) tiles.push_back({at, at + 10, false});
    align_to_run({100, 195, 10}, tiles);
    REQUIRE(tiles.size() == 10);
    CHECK(tiles[0].first == begin);
    CHECK(tiles[0].last == 105);
    CHECK(tiles[0].partial == (begin == 98));
    CHECK(!tiles[1].partial);
  }
}

TEST_CASE("Evaluations are told though the step in the middle of the run is unlike the others") {
  Host host;
  for (int step = 0; step < 26; ++step) {
    host.pause(100);
    host.input();
    host.kernels("head_", 6);
    for (int layer = 0; layer < 12; ++layer) host.kernels(step == 12 ? "tuned_" : "layer_", 10);
    if (step % 5 == 4) continue;
    for (int layer = 0; layer < 12; ++layer) host.kernels("gradient_", 20);
    host.kernels("adam_kernel_", 6);
  }
  const DeviceMined mined = host.mined();
  CHECK(mined.iterations.size() == 26);
  CHECK(iterations_of(mined, SectionKind::evaluation) == 5);
}

TEST_CASE("One kernel over and over is said to be that, not that nothing repeats") {
  Host host;
  host.input();
  for (int i = 0; i < 2'000; ++i) host.kernel("alone");
  for (int i = 0; i < 300; ++i) host.kernel("other");
  const DeviceMined mined = host.mined();
  CHECK(mined.verdict == Verdict::none);
  CHECK(mined.reason.find("one kernel runs 2000 times in a row") != std::string::npos);
}
