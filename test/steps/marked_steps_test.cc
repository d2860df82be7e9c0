#include "analysis/steps/marked_steps.h"

#include "analysis/report/sections.h"
#include "analysis/steps/doubts.h"
#include "libdeepprof/event/metric.h"
#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using deepprof::test::TraceBuilder;

namespace {

constexpr int64_t kStep = 100;  // builder time from one step to the next
constexpr uint32_t kOps = 4;    // launched in each, 10 after each other, run 50 later

// Steps of kOps kernels.
void add_steps(TraceBuilder& t, int64_t steps) {
  for (int64_t step = 0; step < steps; ++step) {
    for (int64_t op = 0; op < kOps; ++op) {
      const int64_t at = step * kStep + op * 10;
      t.launch("cudaLaunchKernel", at, at + 2).kernel("gemm", at + 50, at + 58);
    }
  }
}

// Iterations of `ops_each` ops, from op `first` of the trace on.
DeviceMined mined_of(const Trace& trace, uint32_t ops_each, uint32_t first = 0) {
  DeviceMined device;
  device.verdict = Verdict::iteration;
  for (uint32_t i = 0; i < trace.ops.size(); ++i) device.order.push_back(i);
  for (uint32_t at = first; at + ops_each <= trace.ops.size(); at += ops_each) {
    Iteration iteration;
    iteration.first = at;
    iteration.last = at + ops_each;
    iteration.start_ns = trace.ops[at].start_ns;
    iteration.end_ns = iteration.start_ns + kStep * 1000;
    iteration.number = static_cast<int64_t>(device.iterations.size());
    device.iterations.push_back(iteration);
  }
  Section section;
  section.kind = SectionKind::training;
  section.last = static_cast<uint32_t>(trace.ops.size());
  section.iterations = static_cast<uint32_t>(device.iterations.size());
  device.sections.push_back(section);
  return device;
}

struct Case {
  Trace trace;
  Mined mined;
  Figures figures;

  const DeviceFigures& device() const { return figures.main(); }
  const MarkedSteps& marked() const { return device().marked; }
  std::string text() const { return marked_steps_text(device()); }
};

// Of the built trace, whose iterations have `ops_each` ops; 0: none were found.
Case beside(TraceBuilder& t, uint32_t ops_each, uint32_t first = 0) {
  Case result;
  result.trace = t.build();
  if (ops_each > 0) result.mined.devices.push_back(mined_of(result.trace, ops_each, first));
  result.figures = compute_figures(result.trace, result.mined);
  return result;
}

void mark_steps(TraceBuilder& t, RangeSource source, const std::string& name, int64_t steps) {
  for (int64_t step = 0; step < steps; ++step)
    t.range(source, name + std::to_string(step), step * kStep - 5, step * kStep + 90);
}

}  // namespace

TEST_CASE("marked steps that are the iterations match, each with its name") {
  TraceBuilder t;
  add_steps(t, 6);
  mark_steps(t, RangeSource::step, "ProfilerStep#", 6);
  const Case of = beside(t, kOps);
  CHECK(of.text() == "6 steps (ProfilerStep#N), 6 of 6 match an iteration, starts agree");
  CHECK(of.marked().verdict == MarksVerdict::match);
  CHECK(of.marked().median_ns == kStep * 1000);
  REQUIRE(of.marked().step_of_iteration.size() == 6);
  CHECK(of.marked().names[of.marked().step_of_iteration[3]] == "ProfilerStep#3");
}

TEST_CASE("an iteration that is cut elsewhere matches, and by how much is said") {
  TraceBuilder t;
  add_steps(t, 6);
  mark_steps(t, RangeSource::step, "ProfilerStep#", 6);
  const Case of = beside(t, kOps, 1);  // begins at the step's second op, 10 us behind
  CHECK(of.marked().matched == 5);
  CHECK(of.marked().shift_ns == 10'000);
  INFO(of.text());
  CHECK(of.text().find("begin 10.0 us (10.0 % of one) behind the marks") != std::string::npos);
}

TEST_CASE("half steps that were taken for iterations are told of") {
  TraceBuilder t;
  add_steps(t, 6);
  mark_steps(t, RangeSource::nvtx, "step ", 6);
  const Case of = beside(t, kOps / 2);
  CHECK(of.marked().verdict == MarksVerdict::several_in_a_step);
  CHECK(of.text().substr(0, 39) == "6 steps (step N): each holds 2 iteratio");
}

TEST_CASE("several steps that were taken for one iteration are told of") {
  TraceBuilder t;
  add_steps(t, 6);
  mark_steps(t, RangeSource::nvtx, "step ", 6);
  const Case of = beside(t, 2 * kOps);
  CHECK(of.marked().verdict == MarksVerdict::several_steps_in_one);
  CHECK(of.text().find("an iteration holds 2 of them") != std::string::npos);
}

TEST_CASE("iterations before the first mark lie outside") {
  TraceBuilder t;
  add_steps(t, 6);
  for (int64_t step = 2; step < 6; ++step)
    t.range(RangeSource::step, "train " + std::to_string(step), step * kStep, step * kStep + 90);
  const Case of = beside(t, kOps);
  CHECK(of.text() ==
        "4 steps (train N), 4 of 4 match an iteration, starts agree; 2 iterations lie outside of "
        "marked steps");
  CHECK(of.marked().step_of_iteration[1] == kNone);
}

TEST_CASE("marked steps are told of where no iterations were found") {
  TraceBuilder t;
  add_steps(t, 6);
  mark_steps(t, RangeSource::step, "ProfilerStep#", 6);
  CHECK(beside(t, 0).text() ==
        "6 steps (ProfilerStep#N), median 100.0 us; no iterations were found to set them beside");
}

TEST_CASE("without other marks a step reaches from one optimizer step's end to the next") {
  TraceBuilder t;
  add_steps(t, 6);
  for (int64_t step = 0; step < 6; ++step)
    t.range(RangeSource::annotation, "Optimizer.step#SGD.step", step * kStep + 25,
            step * kStep + 60);
  const Case of = beside(t, kOps);
  CHECK(of.text() == "6 steps (Optimizer.step#SGD.step), 6 of 6 match an iteration, starts agree");
}

TEST_CASE("steps that our own recorder was told of are marks, too") {
  TraceBuilder t;
  add_steps(t, 6);
  const NameId metric = t.raw().names.intern(metric_name(Metric::optimizer_step));
  for (int64_t step = 0; step < 6; ++step)
    t.raw().samples.push_back({t.at(step * kStep + 60), 5'000, metric, 0});
  const Case of = beside(t, kOps);
  CHECK(of.marked().matched == 6);
  CHECK(of.text().find("told by the framework") != std::string::npos);
  const std::string rows =
      render(IterationRows(of.figures, Names::raw).table(), {.format = Format::csv});
  CHECK(rows.find("optimizer step 5") != std::string::npos);
}

TEST_CASE("numbers that differ do not divide marks, whichever of them counts the steps") {
  TraceBuilder t;
  add_steps(t, 6);
  for (int64_t step = 0; step < 6; ++step) {
    const std::string name = "resnet50 epoch " + std::to_string(step / 3) + " step " +
                             std::to_string(step % 3) + " of 3";
    t.range(RangeSource::nvtx, name, step * kStep - 5, step * kStep + 90);
  }
  CHECK(beside(t, kOps).text() ==
        "6 steps (resnet50 epoch N step N of 3), 6 of 6 match an iteration, starts agree");
}

TEST_CASE("ranges of one name and unlike sources are different marks") {
  TraceBuilder t;
  add_steps(t, 6);
  mark_steps(t, RangeSource::step, "train ", 6);
  for (int64_t step = 0; step < 6; ++step)  // parts of a step that somebody gave the same name
    for (int64_t part = 0; part < 2; ++part)
      t.range(RangeSource::nvtx, "train " + std::to_string(step), step * kStep + part * 20 - 3,
              step * kStep + part * 20 + 10);
  const Case of = beside(t, kOps);
  CHECK(of.marked().steps == 6);
  CHECK(of.marked().verdict == MarksVerdict::match);
}

TEST_CASE("the median of an even number of marked steps is the middle of two") {
  TraceBuilder t;
  for (const int64_t at : {0, 100, 210, 400, 500}) {  // distances 100, 110, 190, 100
    t.range(RangeSource::step, "train " + std::to_string(at), at - 5, at + 90);
    t.launch("cudaLaunchKernel", at, at + 2).kernel("gemm", at + 50, at + 58);
  }
  CHECK(beside(t, 0).marked().median_ns == 105'000);
}

TEST_CASE("parts of a step are no marks of steps") {
  TraceBuilder t;
  add_steps(t, 6);
  mark_steps(t, RangeSource::nvtx, "lr_scheduler.step ", 6);
  mark_steps(t, RangeSource::annotation, "timesteps ", 2);  // no word of its own, too few
  mark_steps(t, RangeSource::framework_op, "step ", 6);     // an operator's name
  CHECK(beside(t, kOps).marked().verdict == MarksVerdict::none);
}

TEST_CASE("a name that does not speak of steps counts only where it agrees") {
  TraceBuilder agrees, differs;
  for (TraceBuilder* t : {&agrees, &differs}) {
    add_steps(*t, 6);
    mark_steps(*t, RangeSource::nvtx, "forward and backward ", 6);
  }
  CHECK(beside(agrees, kOps).text() ==
        "6 ranges (forward and backward N), 6 of 6 match an iteration, starts agree");
  CHECK(beside(differs, kOps - 1).marked().verdict == MarksVerdict::none);
}

TEST_CASE("a step that has no op on the main stream starts with the op launched first") {
  TraceBuilder t;
  for (int64_t step = 0; step < 7; ++step) {
    const int64_t at = step * kStep;
    t.stream(8).launch("cudaMemcpyAsync", at, at + 2).kernel("copy", at + 10, at + 12);
    t.stream(step % 2 == 0 ? 7 : 9);  // every other graph runs on a stream of its own
    for (int64_t op = 0; op < 3; ++op)
      t.launch("cudaGraphLaunch", at + 3, at + 5)
          .kernel("gemm", at + 50 + op * 10, at + 58 + op * 10);
  }
  mark_steps(t, RangeSource::nvtx, "step ", 7);
  const Case of = beside(t, kOps, 1);  // cut behind the copy
  INFO(of.text());
  CHECK(of.marked().matched == 6);
  CHECK(of.marked().farthest_ns == 40'000);
}

TEST_CASE("marks that launch nothing or fit nothing leave the place to others") {
  TraceBuilder t;
  add_steps(t, 6);
  for (int64_t step = 0; step < 6; ++step)  // longest, but nothing is launched in them
    t.range(RangeSource::nvtx, "ensure " + std::to_string(step), step * kStep + 40,
            step * kStep + 99);
  for (int64_t step = 0; step < 6; ++step)
    t.range(RangeSource::nvtx, "token " + std::to_string(step), step * kStep - 5,
            step * kStep + 35);
  CHECK(beside(t, kOps).text() == "6 ranges (token N), 6 of 6 match an iteration, starts agree");
}

TEST_CASE("one mark of a profiler outranks ranges that fit no iteration") {
  TraceBuilder t;
  add_steps(t, 6);
  for (int64_t each = 0; each < 9; ++each)
    t.range(RangeSource::annotation, "nccl:all_reduce", each * 60, each * 60 + 55);
  t.range(RangeSource::step, "ProfilerStep#3", -5, 6 * kStep);
  CHECK(beside(t, kOps).text() ==
        "1 step (ProfilerStep#3) holds 6 iterations: one mark does not tell them apart");
}

TEST_CASE("numbered ranges that hold the same number of iterations each are told of") {
  TraceBuilder t;
  add_steps(t, 6);
  mark_steps(t, RangeSource::nvtx, "token ", 6);
  const Case of = beside(t, kOps / 2);
  CHECK(of.marked().verdict == MarksVerdict::several_in_a_step);
  CHECK(of.text().substr(0, 44) == "6 ranges (token N): each holds 2 iterations.");
}

namespace {

DeviceMined doubted(TraceBuilder& t, uint32_t ops_each) {
  const Trace trace = t.build();
  Mined mined{{mined_of(trace, ops_each)}};
  mined.devices[0].confidence = 0.9;
  mined.devices[0].ops_per_iteration = ops_each;
  doubt(trace, mined);
  return mined.devices[0];
}

}  // namespace

TEST_CASE("ranges that are named layers and match one by one show that layers were found") {
  TraceBuilder layers, requests;
  add_steps(layers, 6);
  mark_steps(layers, RangeSource::nvtx, "layer_", 6);
  const DeviceMined found = doubted(layers, kOps);
  CHECK(found.verdict == Verdict::repeating_block);
  CHECK(is_low(found.confidence));
  add_steps(requests, 6);
  mark_steps(requests, RangeSource::nvtx, "request ", 6);
  CHECK(doubted(requests, kOps).verdict == Verdict::iteration);
}

TEST_CASE("an optimizer that ran once shows that parts of a step were found") {
  TraceBuilder profiler, optimizer;
  for (TraceBuilder* t : {&profiler, &optimizer}) add_steps(*t, 6);
  // A profiler may be stepped once an epoch.
  profiler.range(RangeSource::step, "ProfilerStep#3", -5, 6 * kStep);
  optimizer.range(RangeSource::annotation, "Optimizer.step#Adam.step", 0, 6 * kStep);
  CHECK(doubted(profiler, kOps).verdict == Verdict::iteration);
  const DeviceMined found = doubted(optimizer, kOps);
  CHECK(found.verdict == Verdict::repeating_block);
  CHECK(is_low(found.confidence));
}

TEST_CASE("iterations whose numbers of ops lie far apart are never sure") {
  TraceBuilder t;
  add_steps(t, 8);
  const Trace trace = t.build();
  Mined mined{{mined_of(trace, kOps)}};
  mined.devices[0].confidence = 0.9;
  mined.devices[0].ops_per_iteration = kOps;
  doubt(trace, mined);
  CHECK(mined.devices[0].confidence == 0.9);
  for (const size_t i : {1, 3, 5}) mined.devices[0].iterations[i].last -= 2;
  doubt(trace, mined);
  CHECK(mined.devices[0].confidence < 0.8);
  CHECK(mined.devices[0].verdict == Verdict::iteration);
}

TEST_CASE(
    "first iterations that hold fewer ops count among those that lie far apart, not larger ones") {
  TraceBuilder t;
  add_steps(t, 8);
  const Trace trace = t.build();
  Mined mined{{mined_of(trace, kOps)}};
  DeviceMined& device = mined.devices[0];
  device.confidence = 0.9;
  device.ops_per_iteration = kOps;
  device.sections.push_back({.kind = SectionKind::warm_up});
  for (const size_t i : {0, 1}) {
    device.iterations[i].last += 2;
    device.iterations[i].section = 1;
  }
  device.iterations[6].last -= 2;
  doubt(trace, mined);
  CHECK(device.confidence == 0.9);
  for (const size_t i : {0, 1}) device.iterations[i].last -= 4;
  doubt(trace, mined);
  CHECK(device.confidence < 0.8);
}

TEST_CASE("evaluations of another size do not make training unsure") {
  TraceBuilder t;
  add_steps(t, 8);
  const Trace trace = t.build();
  Mined mined{{mined_of(trace, kOps)}};
  DeviceMined& device = mined.devices[0];
  device.confidence = 0.9;
  device.ops_per_iteration = kOps;
  device.sections.push_back({.kind = SectionKind::evaluation});
  for (const size_t i : {5, 6, 7}) {
    device.iterations[i].last -= 2;
    device.iterations[i].section = 1;
  }
  doubt(trace, mined);
  CHECK(device.confidence == 0.9);
}

TEST_CASE("only whole words name a layer") {
  const auto is_layer = [](const std::string& name) {
    TraceBuilder t;
    add_steps(t, 6);
    mark_steps(t, RangeSource::nvtx, name, 6);
    return doubted(t, kOps).verdict == Verdict::repeating_block;
  };
  for (const char* name :
       {"layer_", "model.layers.", "DecoderLayer ", "block", "TransformerBlock"}) {
    CAPTURE(name);
    CHECK(is_layer(name));
  }
  for (const char* name : {"player ", "block_until_ready ", "blocking ", "relayer "}) {
    CAPTURE(name);
    CHECK_FALSE(is_layer(name));
  }
}

TEST_CASE("marks of several processes are kept apart") {
  TraceBuilder t;
  t.thread(1);
  add_steps(t, 6);
  t.raw().threads[0].pid = 77;
  mark_steps(t, RangeSource::step, "ProfilerStep#", 6);
  t.thread(0).range(RangeSource::step, "ProfilerStep#0", -10, 10 * kStep);  // of the other process
  const Case of = beside(t, kOps);
  CHECK(of.marked().matched == 6);
}

TEST_CASE("the table of marked steps has the figures of the line") {
  TraceBuilder t;
  add_steps(t, 6);
  mark_steps(t, RangeSource::step, "ProfilerStep#", 6);
  const Case of = beside(t, kOps);
  const Table table = marked_steps_table(of.figures);
  REQUIRE(table.rows.size() == 1);
  const std::string csv = render(table, {.format = Format::csv});
  CHECK(csv ==
        "device,marker,verdict,steps,matched,outside,iterations_per_step,steps_per_iteration,"
        "median_ns,shift_ns,farthest_ns,farthest_ratio\n"
        "0,ProfilerStep#N,match,6,6,0,1,1,100000,0,0,0\n");
  const std::string rows =
      render(IterationRows(of.figures, Names::raw).table(), {.format = Format::csv});
  CHECK(rows.find("ProfilerStep#5") != std::string::npos);
}
