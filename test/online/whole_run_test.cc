#include "analysis/online/whole_run.h"

#include <string>
#include <utility>

#include "analysis/online/run_statistics_blob.h"
#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using deepprof::test::TraceBuilder;

namespace {

// Ten ops in the first and the last 10 us of 100 us; what was between them is gone.
Trace trace_with_a_hole() {
  TraceBuilder builder;
  for (const int64_t from : {0, 90})
    for (int64_t i = 0; i < 5; ++i) builder.kernel("gemm", from + 2 * i, from + 2 * i + 2);
  builder.hole(10, 90);
  builder.raw().losses[Loss::segment_evicted] = 40;
  return builder.build();
}

// Of all ops of the run, those included that are gone.
RunStatistics statistics_of(const Trace& trace) {
  RunStatistics run;
  run.ops = 50;
  run.first_start_ns = trace.ops.front().start_ns;
  run.last_end_ns = trace.ops.back().end_ns();
  return run;
}

void store_statistics(Trace& trace, int64_t until_ns) {
  RunStatistics run = statistics_of(trace);
  run.last_end_ns = until_ns;
  trace.blobs[run_statistics_key(0)] = encode_run_statistics(run, {});
}

std::string text_of(const Trace& trace) {
  Page page(400, false);
  whole_run_part(trace, page);
  return page.take();
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE(
    "a file without statistics that let events go says that the figures are of what is left") {
  const std::string text = text_of(trace_with_a_hole());
  CHECK(holds(text, "40 raw events were let go"));
  CHECK(holds(text, "not counted"));
  CHECK(holds(text, "20.0 us of the 100.0 us"));
}

TEST_CASE("statistics that cannot be read are not said to be missing") {
  Trace trace = trace_with_a_hole();
  trace.blobs[run_statistics_key(0)] = "of another version";
  const std::string text = text_of(trace);
  CHECK(holds(text, "its statistics are damaged, or of another version"));
  CHECK(holds(text, "20.0 us of the 100.0 us"));
  CHECK(!holds(text, "not counted"));
}

TEST_CASE("statistics that end before the run say by how much") {
  Trace trace = trace_with_a_hole();
  const int64_t end_ns = trace.ops.back().end_ns();
  store_statistics(trace, end_ns);
  CHECK(!holds(text_of(trace), "counted up to"));
  CHECK(!holds(text_of(trace), "not counted"));
  store_statistics(trace, end_ns - 30'000);
  CHECK(holds(text_of(trace), "counted up to 30.0 us before the last op recorded"));
}

TEST_CASE("a slow iteration whose raw events are gone is told from one that can be looked at") {
  Trace trace = trace_with_a_hole();
  RunStatistics run = statistics_of(trace);
  IterationStats& kind = run.iterations.emplace_back();
  kind.count = 30;
  kind.slow_count = 2;
  kind.slow = {{21, run.first_start_ns + 50'000, 5'000, 0},
               {28, run.first_start_ns + 91'000, 4'000, 0}};
  trace.blobs[run_statistics_key(0)] = encode_run_statistics(run, {});
  CHECK(holds(text_of(trace), "21 (5.00 us, not recorded) 28 (4.00 us)"));
}

TEST_CASE("a trend is of one kind of iteration, not of how many there are of each") {
  Trace trace = trace_with_a_hole();
  RunStatistics run = statistics_of(trace);
  run.iterations.resize(3);
  // A warm-up, then ever more short evaluations beside training steps that take as long as ever.
  for (int64_t i = 0; i < 40; ++i) {
    RunSlice& slice = run.slices.emplace_back();
    if (i == 0) slice.add({0, 30, int64_t{30} * 140'000'000});
    slice.add({0, 10, int64_t{10} * 29'000'000});
    slice.add({1, static_cast<uint64_t>(i), i * 10'000'000});
  }
  const auto trend = [&] {
    trace.blobs[run_statistics_key(0)] = encode_run_statistics(run, {});
    return text_of(trace);
  };
  CHECK(holds(trend(),
              "trend      +0.0 % iteration time, first to last tenth of the run, of "
              "the kind that takes most of it"));
  run.slices[37].add({0, 1, 900'000'000});  // a stall in one slice is none
  CHECK(holds(trend(), "trend      +0.0 %"));
  run.slices[37].kinds = run.slices[36].kinds;
  for (size_t i = 36; i < 40; ++i) run.slices[i].add({0, 10, int64_t{10} * 58'000'000});
  CHECK(holds(trend(), "trend      +50.0 %"));
  for (size_t i = 36; i < 40; ++i) run.slices[i].kinds = {{0, 4, int64_t{4} * 58'000'000}};
  CHECK(!holds(trend(), "trend"));  // 16 are too few
}

TEST_CASE("a spell in which another tool had CUPTI is no iteration's time") {
  Trace trace = trace_with_a_hole();
  RunStatistics run = statistics_of(trace);
  IterationStats& kind = run.iterations.emplace_back();
  kind.count = 42;
  for (int i = 0; i < 40; ++i) kind.time.add(2'000);
  kind.time.add(3'000);
  kind.time.add(72'000);
  kind.slow_count = 2;
  kind.slow = {{20, run.first_start_ns + 20'000, 72'000, 0},
               {30, run.first_start_ns + 95'000, 3'000, 0}};
  for (int64_t i = 0; i < 40; ++i) {
    RunSlice& slice = run.slices.emplace_back();
    slice.start_ns = run.first_start_ns + i;
    slice.add({0, 10, 20'000});
  }
  run.slices.back().add({0, 1, 72'000});
  trace.blobs[run_statistics_key(0)] = encode_run_statistics(run, {});
  CHECK(holds(text_of(trace), "max 72.0 us"));
  const auto spell_at = [&](int64_t from_ns, int64_t to_ns) {
    const int64_t base_ns = trace.clock_base_ns + run.first_start_ns;
    trace.process.facts = {
        {"takeover.1", std::to_string(base_ns + from_ns) + " " + std::to_string(base_ns + to_ns)}};
    return text_of(trace);
  };
  const std::string text = spell_at(25'000, 90'000);
  CHECK(holds(text, "42 of various lengths"));
  CHECK(holds(text, "mean 2.02 us"));
  CHECK(holds(text, "max 3.00 us"));
  CHECK(holds(text, "slow       1 of 41, the longest are 30 (3.00 us)"));
  CHECK(holds(text, "trend      +0.0 %"));
  CHECK(holds(spell_at(0, 10'000), "slow       2 of 42, the longest are 20 (72.0 us"));
}

TEST_CASE("the count of iterations and those of their kinds differ only with a word") {
  Trace trace = trace_with_a_hole();
  RunStatistics run = statistics_of(trace);
  run.verdict = Verdict::iteration;
  run.set_confidence(.9);
  run.decided_by = "one optimizer run in each of 8 of 12";
  run.iterations.resize(2);
  run.iterations[0].count = 8;
  run.iterations[1].count = 8;
  run.iterations[1].set_worth(.5);
  const auto told = [&](uint64_t counted) {
    run.counted = counted;
    trace.blobs[run_statistics_key(0)] = encode_run_statistics(run, {});
    return text_of(trace);
  };
  const std::string alike = told(12);
  CHECK(holds(
      alike, "12, confidence high, by what was mined of it: one optimizer run in each of 8 of 12"));
  CHECK(!holds(alike, "followed no kind"));
  CHECK(!holds(alike, "all kinds together"));
  CHECK(holds(told(13), "1 of them followed no kind"));
  CHECK(holds(told(10), "all kinds together hold 2 more"));
}

TEST_CASE("a device that was not counted is told of beside one that was") {
  TraceBuilder builder;
  builder.kernel("gemm", 0, 5).device(1).kernel("gemm", 0, 5);
  builder.raw().losses[Loss::segment_evicted] = 1;
  Trace trace = builder.build();
  store_statistics(trace, trace.ops.front().end_ns());
  const std::string text = text_of(trace);
  CHECK(holds(text, "GPU 0      50 ops"));
  CHECK(holds(text, "GPU 1      not counted"));
}

TEST_CASE("a whole file without statistics has no such part") {
  TraceBuilder builder;
  CHECK(text_of(builder.kernel("gemm", 0, 5).build()).empty());
}
