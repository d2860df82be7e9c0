#include "analysis/gaps/gaps.h"
#include "analysis/gaps/host_activity.h"
#include "analysis/gaps/open_ranges.h"
#include "analysis/gaps/range_sweep.h"

#include <algorithm>
#include <random>
#include <string>

#include "analysis/breakdown/account.h"
#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using deepprof::test::TraceBuilder;

namespace {

std::vector<Gap> gaps_of(const Trace& trace, uint16_t device = 0, uint32_t stream = kNone) {
  std::vector<Gap> gaps;
  const auto classes = classify_calls(trace);
  for_each_gap(trace, ops_of_device(trace, device, stream), classes,
               [&](const Gap& gap) { gaps.push_back(gap); });
  return gaps;
}

std::string cause_of_only_gap(const Trace& trace, std::string* call = nullptr) {
  const auto gaps = gaps_of(trace);
  REQUIRE(gaps.size() == 1);
  if (call != nullptr) *call = std::string(trace.names[gaps[0].call]);
  return cause_info(gaps[0].cause).key;
}

}  // namespace

TEST_CASE("a call is what its name says, whoever names it") {
  for (const char* launch : {"cudaLaunchKernel", "__cudaLaunchKernel", "cuLaunchKernelEx",
                             "hipLaunchKernel", "cudaGraphLaunch"}) {
    CHECK(call_class(launch) == CallClass::launch);
  }
  for (const char* blocking :
       {"cudaMalloc", "cuMemSetAccess", "cudaStreamSynchronize", "cudaMemcpy"}) {
    CHECK(call_class(blocking) == CallClass::blocking);
  }
  CHECK(call_class("cudaGetDevice") == CallClass::other);
  CHECK(call_class("__") == CallClass::other);
}

TEST_CASE("a hole is no gap, and the gaps at its sides have no cause") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 20);
  t.hole(30, 60);
  t.launch("cudaLaunchKernel", 90, 95).kernel("b", 100, 110);
  const Trace trace = t.build();
  const auto gaps = gaps_of(trace);
  REQUIRE(gaps.size() == 2);
  CHECK(gaps[0].end_ns == t.at(30));
  CHECK(gaps[0].before == 0);
  CHECK(gaps[0].after == kNone);
  CHECK(gaps[1].start_ns == t.at(60));
  CHECK(gaps[1].before == kNone);
  CHECK(gaps[1].after == 1);
  for (const Gap& gap : gaps) CHECK(gap.cause == Cause::unattributed);
}

TEST_CASE("where the host's calls are missing nobody says that it was outside CUDA") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 20);
  t.host_hole(30, 60);
  t.launch("cudaLaunchKernel", 90, 95).kernel("b", 100, 110);
  CHECK(cause_of_only_gap(t.build()) == "unattributed");
}

TEST_CASE("the host was elsewhere: launched late with no call on the launching thread") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 20);
  t.launch("cudaLaunchKernel", 90, 95).kernel("b", 100, 110);
  CHECK(cause_of_only_gap(t.build()) == "host_outside");
}

TEST_CASE("the host was blocked: a synchronize covers more than half of the gap") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 20).call("cudaStreamSynchronize", 6, 75);
  t.launch("cudaLaunchKernel", 90, 95).kernel("b", 100, 110);
  std::string call;
  CHECK(cause_of_only_gap(t.build(), &call) == "host_blocked");
  CHECK(call == "cudaStreamSynchronize");
}

TEST_CASE("exactly half of the gap is not more than half") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 20).call("cudaStreamSynchronize", 6, 60);
  t.launch("cudaLaunchKernel", 99, 99).kernel("b", 100, 110);
  CHECK(cause_of_only_gap(t.build()) == "host_outside");
}

TEST_CASE("the host was launch-bound: calls together cover more than half") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 20);
  t.call("cudaFuncGetAttributes", 20, 45).call("cudaStreamIsCapturing", 45, 70);
  t.launch("cuLaunchKernel", 70, 95).kernel("b", 100, 110);
  CHECK(cause_of_only_gap(t.build()) == "host_launch");
}

TEST_CASE("a driver call inside a runtime call counts once") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 20);
  t.call("cudaFuncGetAttributes", 30, 60).call("cuFuncGetAttribute", 31, 59);
  t.launch("cudaLaunchKernel", 98, 99).kernel("b", 100, 110);
  CHECK(cause_of_only_gap(t.build()) == "host_outside");
}

TEST_CASE("only the launching thread counts") {
  TraceBuilder t;
  t.thread(0).launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 20);
  t.thread(1).call("cudaDeviceSynchronize", 20, 95);
  t.thread(0).launch("cudaLaunchKernel", 90, 95).kernel("b", 100, 110);
  CHECK(cause_of_only_gap(t.build()) == "host_outside");
  t = TraceBuilder();
  t.thread(0).launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 20);
  t.thread(1)
      .call("cudaDeviceSynchronize", 20, 85)
      .launch("cudaLaunchKernel", 90, 95)
      .kernel("b", 100, 110);
  CHECK(cause_of_only_gap(t.build()) == "host_blocked");
}

TEST_CASE("queued in time: kernel wait under 30 us, dependency wait from 30 us") {
  for (const int64_t length : {29'999, 30'000}) {
    TraceBuilder t(1);
    t.launch("cudaLaunchKernel", 0, 5).kernel("a", 10'000, 20'000);
    t.launch("cudaLaunchKernel", 6, 9).kernel("b", 20'000 + length, 60'000);
    CHECK(cause_of_only_gap(t.build()) == (length < 30'000 ? "kernel_wait" : "dependency_wait"));
  }
}

TEST_CASE("launched exactly when the gap began is queued in time") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 20);
  t.launch("cudaLaunchKernel", 20, 22).kernel("b", 25, 30);
  CHECK(cause_of_only_gap(t.build()) == "kernel_wait");
}

TEST_CASE("an op without launch record leaves its gap unattributed") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 20).correlation(0).kernel("b", 100, 110);
  CHECK(cause_of_only_gap(t.build()) == "unattributed");
  TraceBuilder without_calls;
  without_calls.correlation(1).kernel("a", 10, 20).correlation(2).kernel("b", 30, 40);
  CHECK(cause_of_only_gap(without_calls.build()) == "unattributed");
}

TEST_CASE("gaps within one graph launch are the graph's own, by node id or by the call's name") {
  TraceBuilder t;
  t.launch("cudaGraphLaunch", 0, 5)
      .graph_node(1)
      .kernel("a", 10, 20)
      .graph_node(2)
      .kernel("b", 60, 70);
  CHECK(cause_of_only_gap(t.build()) == "graph_replay");
  TraceBuilder without_nodes;
  without_nodes.launch("cuGraphLaunch", 0, 5).kernel("a", 10, 20).kernel("b", 60, 70);
  CHECK(cause_of_only_gap(without_nodes.build()) == "graph_replay");
  TraceBuilder two_launches;
  two_launches.launch("cudaGraphLaunch", 0, 5).graph_node(1).kernel("a", 10, 20);
  two_launches.launch("cudaGraphLaunch", 80, 85).graph_node(1).kernel("a", 90, 95);
  CHECK(cause_of_only_gap(two_launches.build()) == "host_outside");
}

TEST_CASE("the profiler's own records claim a gap that they cover by more than half") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 20).overhead(30, 60).overhead(50, 80);
  t.launch("cudaLaunchKernel", 90, 95).kernel("b", 100, 110);
  CHECK(cause_of_only_gap(t.build()) == "overhead");
  t = TraceBuilder();
  t.launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 20).overhead(30, 80, "CUPTI: Buffer flush");
  t.launch("cudaLaunchKernel", 90, 95).kernel("b", 100, 110);
  CHECK(cause_of_only_gap(t.build()) == "overhead");
  t = TraceBuilder();
  t.launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 20).overhead(30, 60);
  t.launch("cudaLaunchKernel", 90, 95).kernel("b", 100, 110);
  CHECK(cause_of_only_gap(t.build()) == "host_outside");
}

TEST_CASE("code that is loaded and a full queue are time of the call, not of the profiler") {
  for (const char* kind :
       {"Runtime Triggered Module Loading", "Lazy Function Loading", "Driver Compiler",
        "Command Buffer Full", "CUPTI: Lazy function loading", "CUPTI Command buffer full"}) {
    CAPTURE(kind);
    TraceBuilder t;
    t.launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 20).overhead(30, 80, kind);
    t.launch("cudaLaunchKernel", 25, 95).kernel("b", 100, 110);
    CHECK(cause_of_only_gap(t.build()) == "host_launch");
  }
}

TEST_CASE("a gap lies between the ops of all streams, and names the op that ended last") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 1).kernel("long", 10, 50).stream(8).kernel("short", 20, 30);
  t.stream(7).kernel("late", 80, 90);
  const Trace trace = t.build();
  const auto gaps = gaps_of(trace);
  REQUIRE(gaps.size() == 1);
  CHECK(trace.names[trace.ops[gaps[0].before].name] == "long");
  CHECK(trace.names[trace.ops[gaps[0].after].name] == "late");
  CHECK(gaps[0].duration_ns() == 30'000);
  CHECK(gaps_of(trace, 0, 8).empty());
}

TEST_CASE(
    "annotations are evidence for what the host did outside CUDA: the closest one on its thread") {
  TraceBuilder t;
  t.range(RangeSource::step, "ProfilerStep#3", 0, 200)
      .range(RangeSource::annotation, "epoch", 0, 300);
  t.range(RangeSource::annotation, "enumerate(DataLoader)#__next__", 25, 85)
      .range(RangeSource::python, "log", 86, 90);
  t.thread(1)
      .call("cudaGetDevice", 0, 1)
      .range(RangeSource::python, "elsewhere", 20, 100)
      .thread(0);
  t.launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 20);
  t.launch("cudaLaunchKernel", 90, 95).kernel("b", 100, 110);
  const Trace trace = t.build();
  const auto gaps = gaps_of(trace);
  REQUIRE(gaps.size() == 1);
  CHECK(gaps[0].cause == Cause::host_outside);
  CHECK(trace.names[gaps[0].range] == "enumerate(DataLoader)#__next__");
}

TEST_CASE(
    "on random ranges, nested, crossing and of equal length, the annotation is the naive one") {
  std::mt19937 random(29);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  size_t named = 0;
  for (int round = 0; round < 300; ++round) {
    TraceBuilder t(1);
    t.call("cudaGetDevice", 0, 1);
    for (int i = pick(60); i > 0; --i) {
      const int from = pick(1000), length = pick(3) == 0 ? pick(1200) : 10 * pick(9);
      t.thread(static_cast<uint32_t>(pick(2)))
          .range(pick(6) == 0 ? RangeSource::step : RangeSource::nvtx, std::to_string(i), from,
                 from + length);
    }
    const Trace trace = t.build();
    const auto classes = classify_calls(trace);
    const HostRecord host(trace, classes);
    RangeSweep sweep(host);
    for (int64_t from = pick(50); from < 1100;) {
      const int64_t start = t.at(from), end = t.at(from + 1 + pick(pick(4) == 0 ? 300 : 30));
      const Range* closest = nullptr;
      for (const Range& range : trace.ranges) {
        const int64_t covered = std::min(range.end_ns(), end) - std::max(range.start_ns, start);
        if (range.thread != 0 || range.source == RangeSource::step) continue;
        if (2 * covered <= end - start) continue;
        if (closest == nullptr || range.duration_ns < closest->duration_ns) closest = &range;
      }
      REQUIRE(sweep.during(0, start, end) == (closest == nullptr ? 0 : closest->name));
      named += closest != nullptr;
      from += end - start + pick(20);
    }
  }
  CHECK(named > 1000);
}

TEST_CASE(
    "of ranges that begin together the one that ends first is innermost, wherever it stands") {
  for (const bool inner_first : {true, false}) {
    TraceBuilder t(1);
    t.call("cudaGetDevice", 0, 1).range(RangeSource::framework_op, "before", 0, 5);
    if (inner_first) t.range(RangeSource::framework_op, "inner", 10, 20);
    t.range(RangeSource::framework_op, "outer", 10, 30);
    if (!inner_first) t.range(RangeSource::framework_op, "inner", 10, 20);
    const Trace trace = t.build();
    OpenRanges ranges(trace, std::nullopt);
    const auto found = ranges.at(0, t.at(15));
    REQUIRE(found.size() == 2);
    CHECK(trace.names[trace.ranges[found[0]].name] == "inner");
    const auto later = ranges.at(0, t.at(25));
    REQUIRE(later.size() == 1);
    CHECK(trace.names[trace.ranges[later[0]].name] == "outer");
  }
}

TEST_CASE("on random ranges, those that are open at an instant are told from the innermost out") {
  std::mt19937 random(31);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  size_t open = 0, ties = 0;
  for (int round = 0; round < 200; ++round) {
    TraceBuilder t(1);
    t.call("cudaGetDevice", 0, 1);
    for (int i = pick(50); i > 0; --i) {
      const int from = pick(3) == 0 ? 100 * pick(10) : pick(1000);
      t.thread(static_cast<uint32_t>(pick(2)))
          .range(pick(3) == 0 ? RangeSource::step : RangeSource::nvtx, "r", from,
                 from + pick(pick(2) == 0 ? 20 : 600));
    }
    const Trace trace = t.build();
    OpenRanges ranges(trace, std::nullopt);
    for (int at = pick(20); at < 1100; at += pick(60)) {
      std::vector<uint32_t> expected;
      for (uint32_t i = 0; i < trace.ranges.size(); ++i) {
        const Range& range = trace.ranges[i];
        if (range.thread == 0 && range.source != RangeSource::step && range.start_ns <= t.at(at) &&
            range.end_ns() > t.at(at))
          expected.push_back(i);
      }
      const auto open_now = ranges.at(0, t.at(at));
      std::vector<uint32_t> found(open_now.begin(), open_now.end());
      for (size_t in = 0; in < found.size(); ++in) {
        for (size_t out = in + 1; out < found.size(); ++out) {
          const Range &inner = trace.ranges[found[in]], &outer = trace.ranges[found[out]];
          const bool holds = inner.start_ns <= outer.start_ns && inner.end_ns() >= outer.end_ns();
          const bool equal = holds && inner.duration_ns == outer.duration_ns;
          if (equal) REQUIRE(found[in] > found[out]);
          else REQUIRE_FALSE(holds);
          REQUIRE(inner.start_ns >= outer.start_ns);
          ties += inner.start_ns == outer.start_ns;
        }
      }
      std::sort(found.begin(), found.end());
      REQUIRE(found == expected);
      open += expected.size();
    }
  }
  CHECK(ties > 100);
  CHECK(open > 1000);
}

TEST_CASE("what a window leaves before the first op and behind the last is unattributed") {
  TraceBuilder t(1);
  t.launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 20);
  const Trace trace = t.build();
  std::vector<Gap> gaps;
  for_each_gap(trace, ops_of_device(trace, 0), {}, [&](const Gap& gap) { gaps.push_back(gap); },
               {t.at(4), t.at(27)});
  REQUIRE(gaps.size() == 2);
  CHECK(gaps[0].duration_ns() == 6);
  CHECK(gaps[0].before == kNone);
  CHECK(gaps[1].duration_ns() == 7);
  CHECK(gaps[1].after == kNone);
  CHECK(gaps[1].cause == Cause::unattributed);
}

TEST_CASE("the calls are named by what they do, whatever their vendor and version") {
  for (const char* blocking :
       {"cudaDeviceSynchronize", "cudaStreamSynchronize_ptsz", "cuCtxSynchronize", "cudaMemcpy",
        "cuMemcpyDtoH_v2", "cudaMalloc", "cudaFree", "cudaHostAlloc", "cudaMallocHost",
        "cuModuleLoadData", "cuLibraryLoadData", "hipDeviceSynchronize", "hipMemcpy", "hipFree",
        "cudaEventSynchronize", "cuMemAlloc_v2", "cudaMemcpy2D"}) {
    INFO(blocking);
    CHECK(call_class(blocking) == CallClass::blocking);
  }
  for (const char* launch :
       {"cudaLaunchKernel", "cuLaunchKernelEx", "cudaGraphLaunch", "cudaMemcpyAsync",
        "cuMemcpyHtoDAsync_v2", "cudaMemsetAsync", "cudaMallocAsync", "cudaFreeAsync",
        "hipLaunchKernel", "hipModuleLaunchKernel", "cudaLaunchCooperativeKernel"}) {
    INFO(launch);
    CHECK(call_class(launch) == CallClass::launch);
  }
  for (const char* other :
       {"cudaGetDevice", "cudaEventRecord", "cudaStreamWaitEvent", "", "mySynchronize", "cuda"}) {
    INFO(other);
    CHECK(call_class(other) == CallClass::other);
  }
}

TEST_CASE(
    "on random traces the causes sum to the idle time, and host activity equals a naive count") {
  std::mt19937 random(23);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 200; ++round) {
    TraceBuilder t(1);
    for (int i = 0; i < 40; ++i) {
      t.thread(static_cast<uint32_t>(pick(3))).stream(static_cast<uint32_t>(pick(3)));
      const int from = pick(1000), length = pick(30);
      const char* calls[] = {"cudaLaunchKernel", "cudaStreamSynchronize", "cudaMalloc",
                             "cudaGetDevice"};
      if (pick(2) == 0) t.call(calls[pick(4)], from, from + pick(pick(5) == 0 ? 400 : 40));
      t.launch("cudaLaunchKernel", from, from + 3);
      if (pick(8) == 0) t.correlation(0);
      t.kernel("k", from + pick(50), from + 50 + length);
    }
    for (int i = round % 2 * pick(3); i > 0; --i) {
      const int from = pick(1100);
      t.hole(from, from + pick(200));
    }
    const Trace trace = t.build();
    const auto ops = ops_of_device(trace, 0);
    const auto classes = classify_calls(trace);
    int64_t idle = 0;
    for (const Gap& gap : gaps_of(trace)) {
      REQUIRE(gap.duration_ns() > 0);
      idle += gap.duration_ns();
      REQUIRE_FALSE(touches_hole(holes_of(trace, 0), gap.start_ns, gap.end_ns));
      if (gap.before == kNone || gap.after == kNone) continue;
      const uint32_t launch = trace.ops[gap.after].launch;
      if (launch == kNone || trace.calls[launch].start_ns <= gap.start_ns) continue;
      int64_t blocked = 0, called = 0;
      for (int64_t time = gap.start_ns; time < gap.end_ns; ++time) {
        bool in_blocking = false, in_call = false;
        for (const HostCall& call : trace.calls) {
          if (call.thread != trace.calls[launch].thread || time < call.start_ns ||
              time >= call.end_ns())
            continue;
          in_call = true;
          in_blocking = in_blocking || classes[call.name] == CallClass::blocking;
        }
        blocked += in_blocking;
        called += in_call;
      }
      const Cause expected = 2 * blocked > gap.duration_ns()  ? Cause::host_blocked
                             : 2 * called > gap.duration_ns() ? Cause::host_launch
                                                              : Cause::host_outside;
      REQUIRE(gap.cause == expected);
    }
    const Window span = span_of(trace, ops);
    REQUIRE(account_windows(trace, ops, {}, std::vector<Window>{span})[0].idle_ns == idle);
  }
}
