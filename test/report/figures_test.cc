// Identities that hold for any trace, whatever the miner said.
#include "analysis/report/figures.h"

#include <random>

#include "analysis/report/counted_text.h"
#include "analysis/report/may_be_no_iteration.h"
#include "analysis/report/summary.h"
#include "analysis/report/utf8.h"
#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using deepprof::test::TraceBuilder;

namespace {

struct Random {
  std::mt19937 engine;
  int pick(int n) { return static_cast<int>(engine() % static_cast<unsigned>(n)); }
};

// Ops, calls, annotations and overheads at random: overlapping streams, two devices, missing
// launches, graph launches, ops of no length.
Trace random_trace(Random& random, TraceBuilder& t) {
  for (int i = 0; i < 120; ++i) {
    const int from = random.pick(4000), length = random.pick(random.pick(10) == 0 ? 600 : 40);
    t.device(static_cast<uint16_t>(random.pick(5) == 0))
        .stream(static_cast<uint32_t>(random.pick(3)));
    t.thread(static_cast<uint32_t>(random.pick(2)));
    const char* calls[] = {"cudaLaunchKernel", "cudaGraphLaunch", "cuLaunchKernel"};
    const int launched = std::max(0, from - random.pick(200));
    t.launch(calls[random.pick(3)], launched, launched + 3);
    if (random.pick(10) == 0) t.correlation(0);
    const char* names[] = {"gemm", "ncclDevKernel_AllReduce", "relu_elementwise", "softmax"};
    if (random.pick(6) == 0) t.copy(CopyKind::host_to_device, from, from + length, 100);
    else if (random.pick(8) == 0) t.memset(from, from + length);
    else t.kernel(names[random.pick(4)], from, from + length);
    if (random.pick(4) == 0) t.call("cudaStreamSynchronize", from, from + random.pick(300));
    if (random.pick(10) == 0) t.range(RangeSource::nvtx, "load", from, from + random.pick(500));
    if (random.pick(20) == 0) t.overhead(from, from + random.pick(100));
  }
  return t.build();
}

// Windows that tile parts of the device's time, and positions at random: the accounts must not
// care.
Mined random_mined(Random& random, const Trace& trace, const TraceBuilder& t) {
  Mined mined;
  for (const uint16_t number : devices_with_ops(trace)) {
    DeviceMined device;
    device.device = number;
    device.verdict = Verdict::iteration;
    device.order = ops_of_device(trace, number);
    const auto size = static_cast<uint32_t>(device.order.size());
    int64_t now = random.pick(500);
    for (uint32_t i = 0; i < 6; ++i) {
      Iteration iteration;
      iteration.first = size * i / 6;
      iteration.last = size * (i + 1) / 6;
      iteration.start_ns = t.at(now);
      now += 1 + random.pick(900);
      iteration.end_ns = t.at(now);
      if (random.pick(4) == 0) now += random.pick(200);  // a hole between sections
      iteration.section = i / 3;
      iteration.partial = random.pick(6) == 0;
      device.iterations.push_back(iteration);
    }
    for (uint32_t s = 0; s < 2; ++s) {
      Section section;
      section.kind = s == 0 ? SectionKind::warm_up : SectionKind::training;
      section.first = size * s / 2;
      section.last = size * (s + 1) / 2;
      section.start_ns = device.iterations[3 * s].start_ns;
      section.end_ns = device.iterations[3 * s + 2].end_ns;
      section.iterations = 3;
      device.sections.push_back(section);
    }
    mined.devices.push_back(std::move(device));
  }
  return mined;
}

void check_identities(const Account& account, const CauseTimes& idle, int64_t wall) {
  int64_t parts = account.idle_ns, causes = 0;
  for (const int64_t part : account.exposed_ns) parts += part;
  for (const int64_t cause : idle) causes += cause;
  REQUIRE(account.wall_ns == wall);
  REQUIRE(parts == wall);
  REQUIRE(causes == account.idle_ns);
}

}  // namespace

TEST_CASE(
    "parts sum to the wall time and causes to the idle time, to the nanosecond, on any trace") {
  Random random{std::mt19937(42)};
  for (int round = 0; round < 150; ++round) {
    TraceBuilder t(17);
    const Trace trace = random_trace(random, t);
    const Mined mined = round % 4 == 0 ? Mined{} : random_mined(random, trace, t);
    const Figures figures = compute_figures(trace, mined);
    for (const DeviceFigures& device : figures.devices) {
      check_identities(device.run, device.run_idle, device.span.end_ns - device.span.start_ns);
      for (size_t i = 0; i < device.iterations.size(); ++i) {
        const Iteration& iteration = device.mined->iterations[i];
        check_identities(device.iterations[i], device.iteration_idle[i],
                         iteration.end_ns - iteration.start_ns);
      }
      for (size_t s = 0; s < device.sections.size(); ++s) {
        const Section& section = device.mined->sections[s];
        check_identities(device.sections[s], device.section_idle[s],
                         section.end_ns - section.start_ns);
      }
      CauseTimes basis{};
      for (size_t cause = 0; cause < kCauses; ++cause)
        basis[cause] = device.causes[cause].pieces.total_ns;
      check_identities(device.basis, basis, device.basis.wall_ns);
    }
    // The page never breaks its width, whatever is on it.
    const std::string text = summary_text(trace, mined, {});
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\n', at);
      REQUIRE(display_width(text.substr(at, end - at)) <= 100);
      at = end + 1;
    }
  }
}

TEST_CASE(
    "ops with negative or absurd lengths are left out of every figure and counted on the page") {
  TraceBuilder t;
  t.kernel("good", 0, 10).kernel("reversed", 30, 25);
  t.raw().ops.push_back({.start_ns = t.at(20), .duration_ns = INT64_MAX / 2, .kind = Kind::kernel});
  const Trace trace = t.build();
  const Mined mined;
  const Figures figures = compute_figures(trace, mined);
  CHECK(figures.main().run.wall_ns == 10'000);
  CHECK(summary_text(trace, mined, {}).find("2 records without usable timestamps ignored") !=
        std::string::npos);
}

TEST_CASE("an op counts where it belongs, its time where it runs") {
  // A copy for the second iteration runs ahead on a side stream, in the window of the first.
  TraceBuilder t;
  t.kernel("a", 0, 50).kernel("b", 100, 150).stream(9).copy(CopyKind::host_to_device, 60, 90, 10);
  Trace trace = t.build();
  Mined mined;
  DeviceMined device;
  device.verdict = Verdict::iteration;
  device.order = {0, 1, 2};  // a; then the copy and b
  device.sections.push_back({SectionKind::training, 0, 3, t.at(0), t.at(150), 2, 1.0});
  Iteration first, second;
  first.first = 0, first.last = 1, first.start_ns = t.at(0), first.end_ns = t.at(100);
  second.first = 1, second.last = 3, second.start_ns = t.at(100), second.end_ns = t.at(150);
  device.iterations = {first, second};
  mined.devices.push_back(device);
  View view;
  view.counts = [](const DeviceMined&, size_t i) { return i == 1; };
  const Figures only_second = compute_figures(trace, mined, {{}, view});
  CHECK(only_second.main().activity_ns[static_cast<size_t>(Activity::memcpy)] == 30'000);
  CHECK(only_second.main().basis.united(Activity::memcpy) == 0);
  CHECK(only_second.main().iterations[0].exposed(Activity::memcpy) == 30'000);
}

namespace {

// Four iterations of 100 us on stream 7, a short kernel of each on stream 9; every op but the first
// of a step is launched in time.
Trace two_streams(Mined& mined, TraceBuilder& t) {
  DeviceMined device;
  device.verdict = Verdict::iteration;
  for (int step = 0; step < 4; ++step) {
    const int at = 100 * step;
    t.stream(7).launch("cudaLaunchKernel", at + 5, at + 6).kernel("a", at + 10, at + 50);
    t.launch("cudaLaunchKernel", at + 7, at + 8).stream(9).kernel("b", at + 40, at + 60);
    t.stream(7).launch("cudaLaunchKernel", at + 9, at + 10).kernel("c", at + 70, at + 90);
    Iteration iteration;
    iteration.first = static_cast<uint32_t>(3 * step), iteration.last = iteration.first + 3;
    iteration.start_ns = t.at(at + 10),
    iteration.end_ns = step < 3 ? t.at(at + 110) : t.at(at + 90);
    device.iterations.push_back(iteration);
  }
  device.sections.push_back({SectionKind::training, 0, 12, t.at(10), t.at(390), 4, 1.0});
  for (uint32_t i = 0; i < 12; ++i) device.order.push_back(i);
  mined.devices.push_back(device);
  return t.build();
}

int64_t cause_ns(const DeviceFigures& device, Cause cause) {
  return device.causes[static_cast<size_t>(cause)].pieces.total_ns;
}

}  // namespace

TEST_CASE(
    "a view of a stretch counts the iterations in it, and gaps at its borders keep their cause") {
  TraceBuilder t;
  Mined mined;
  const Trace trace = two_streams(mined, t);
  View view;
  view.within = Window{t.at(105), t.at(320)};
  const Figures some = compute_figures(trace, mined, {{}, view});
  CHECK(some.main().counted == std::vector<uint32_t>{1, 2});
  CHECK(some.main().basis.wall_ns == 200'000);
  CHECK(cause_ns(some.main(), Cause::host_outside) ==
        2 * 20'000);  // 90 to 110 of each, the last cut by none
  CHECK(cause_ns(some.main(), Cause::unattributed) == 0);
  CHECK(some.main().shown().size() == 7);  // the first op of the fourth iteration reaches in

  view.within = Window{t.at(120), t.at(190)};  // holds no whole iteration
  const Figures stretch = compute_figures(trace, mined, {{}, view});
  const DeviceFigures& device = stretch.main();
  CHECK_FALSE(device.has_iterations());
  CHECK(device.basis.wall_ns == 70'000);
  CHECK(device.basis.busy_ns() == 60'000);
  CHECK(cause_ns(device, Cause::kernel_wait) == 10'000);
  CHECK(device.ops_of_kind[static_cast<size_t>(Kind::kernel)] == 3);

  view.within = Window{t.at(500), t.at(600)};
  CHECK(compute_figures(trace, mined, {{}, view}).devices.empty());
}

TEST_CASE("a trend needs more than a first and a last tenth that happen to differ") {
  const auto is_clear = [](auto length_of) {
    TraceBuilder t;
    DeviceMined device;
    device.verdict = Verdict::iteration;
    int64_t now = 0;
    for (uint32_t i = 0; i < 30; ++i) {
      t.launch("cudaLaunchKernel", now, now + 1).kernel("a", now + 1, now + 50);
      Iteration iteration;
      iteration.first = i, iteration.last = i + 1;
      iteration.start_ns = t.at(now);
      now += length_of(i);
      iteration.end_ns = t.at(now);
      device.iterations.push_back(iteration);
      device.order.push_back(i);
    }
    device.sections.push_back({SectionKind::training, 0, 30, t.at(0), t.at(now), 30, 1.0});
    Mined mined;
    mined.devices.push_back(device);
    const Trace trace = t.build();
    const Figures figures = compute_figures(trace, mined);
    CHECK(std::abs(figures.main().trend_ratio) > 0.05);
    return figures.main().trend_is_clear;
  };
  CHECK(is_clear([](uint32_t i) { return 100 + i; }));
  CHECK(is_clear([](uint32_t i) { return 160 - i - 7 * (i % 3); }));
  // Two kinds of iteration, and a few of one kind at the end.
  CHECK_FALSE(is_clear([](uint32_t i) { return i < 3 || (i < 26 && i % 2 == 0) ? 100 : 140; }));
}

TEST_CASE("a view of a stream is of the same windows, and its idle time has causes of its own") {
  TraceBuilder t;
  Mined mined;
  const Trace trace = two_streams(mined, t);
  View view;
  view.stream = 9;
  const Figures figures = compute_figures(trace, mined, {{}, view});
  const DeviceFigures& device = figures.main();
  CHECK(device.basis.wall_ns == 380'000);
  CHECK(device.basis.busy_ns() == 4 * 20'000);
  CHECK(device.ops_of_kind[static_cast<size_t>(Kind::kernel)] == 4);
  CHECK(device.kernels.size() == 1);
  // Before its first op the stream waited for something queued in time; behind its last nothing
  // came late.
  CHECK(cause_ns(device, Cause::unattributed) == 30'000);
  CHECK(cause_ns(device, Cause::dependency_wait) == 30'000);
  CHECK(cause_ns(device, Cause::host_outside) == 3 * 80'000);
  CHECK_FALSE(summary_text(trace, figures, {}).find("stream idle") == std::string::npos);
  CHECK(summary_text(trace, figures, {}).find("FINDINGS") == std::string::npos);
}

TEST_CASE("tables of the whole recording say which stretches beside the usual ones are in them") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 5).kernel("gemm", 10, 40);
  const Trace trace = t.build();
  const auto note_with = [&](const std::vector<SectionKind>& kinds) {
    Mined mined;
    DeviceMined device;
    device.verdict = Verdict::iteration;
    device.order = ops_of_device(trace, 0);
    for (const SectionKind kind : kinds) {
      Section section;
      section.kind = kind;
      section.start_ns = t.at(0);
      section.end_ns = t.at(50);
      device.sections.push_back(section);
    }
    mined.devices.push_back(std::move(device));
    return shown_note(compute_figures(trace, mined));
  };
  CHECK(note_with({SectionKind::training}) == "of the whole recording");
  CHECK(note_with({SectionKind::warm_up, SectionKind::training}) ==
        "of the whole recording, warm-up included");
  CHECK(note_with({SectionKind::warm_up, SectionKind::training, SectionKind::evaluation}) ==
        "of the whole recording, warm-up and evaluation included");
  CHECK(note_with({SectionKind::steady, SectionKind::evaluation, SectionKind::evaluation}) ==
        "of the whole recording, evaluation included");
}

TEST_CASE("what was left out has its own time, iterations and stretches of a kind apart") {
  DeviceMined mined;
  constexpr int64_t kSecond = 1'000'000'000;
  const auto section = [](SectionKind kind, int64_t from, int64_t to, uint32_t iterations) {
    Section made;
    made.kind = kind;
    made.start_ns = from * kSecond;
    made.end_ns = to * kSecond;
    made.iterations = iterations;
    return made;
  };
  mined.sections = {section(SectionKind::warm_up, 1, 3, 0), section(SectionKind::warm_up, 3, 8, 1),
                    section(SectionKind::training, 8, 20, 1)};
  for (uint32_t i = 0; i < 2; ++i) {
    Iteration iteration;
    iteration.section = i + 1;
    mined.iterations.push_back(iteration);
  }
  DeviceFigures device;
  device.mined = &mined;
  device.counted = {1};
  CHECK(excluded_text(device) == "1 warm-up iteration (5.000 s), 1 warm-up stretch (2.000 s)");
  // The last one is told once, also where it is the only one of its section.
  device.counted = {0};
  device.last_left_out = true;
  mined.iterations[1].end_ns = kSecond;
  CHECK(excluded_text(device) ==
        "1 warm-up stretch (2.000 s), the last one, whose end is that of the recording (1.000 s)");
}

TEST_CASE("blocks that match marked steps one by one are iterations") {
  DeviceMined mined;
  mined.verdict = Verdict::repeating_block;
  DeviceFigures device;
  device.mined = &mined;
  CHECK(may_be_no_iteration(device));
  device.marked.verdict = MarksVerdict::match;
  device.marked.steps = device.marked.matched = 3;
  CHECK_FALSE(may_be_no_iteration(device));
  device.marked.outside = 2;
  CHECK(may_be_no_iteration(device));
  device.marked.outside = 0;
  device.marked.by_repetition = true;
  CHECK(may_be_no_iteration(device));
  device.marked.by_repetition = false;
  device.marked.steps = device.marked.matched = 1;
  CHECK(may_be_no_iteration(device));
  mined.verdict = Verdict::iteration;
  CHECK_FALSE(may_be_no_iteration(device));
}
