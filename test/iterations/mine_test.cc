#include "analysis/iterations/mine.h"

#include <algorithm>
#include <string>

#include "analysis/iterations/assemble.h"
#include "analysis/sequence/sequence.h"
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

// Steps of 120 ops that a copy begins, with the optimizer in the middle. The recording was switched
// on between two steps: of the last 75 ops before, which the GPU still ran, the launches are
// missing.
Trace switched_on_between_steps(int count) {
  TraceBuilder t;
  int64_t time = 0;
  for (int op = 45; op < 120 * (count + 1); ++op, time += 10) {
    t.launch("cudaLaunchKernel", time - 5, time + 4);
    if (op % 120 == 0) t.copy(CopyKind::host_to_device, time, time + 8, 4096);
    else
      t.kernel(op % 120 / 4 == 20 ? "adam_kernel" : "kernel_" + std::to_string(op % 120), time,
               time + 8);
  }
  auto& calls = t.raw().calls;
  calls.erase(calls.begin(), calls.begin() + 75);
  return t.build();
}

// `count` repetitions of 25 kernels, each begun by a copy of 8 bytes; `around` other kernels before
// and behind them. No launch pauses, no optimizer.
Trace fed_by_scalars(int count, int around) {
  TraceBuilder t;
  int64_t time = 0;
  const auto kernel = [&](const std::string& name) {
    t.launch("cudaLaunchKernel", time - 5, time + 4).kernel(name, time, time + 8);
    time += 10;
  };
  for (int op = 0; op < around; ++op) kernel("before_" + std::to_string(op));
  for (int step = 0; step < count; ++step) {
    t.launch("cudaMemcpyAsync", time - 5, time + 4)
        .copy(CopyKind::host_to_device, time, time + 8, 8);
    time += 10;
    for (int op = 0; op < 25; ++op) kernel("kernel_" + std::to_string(op));
  }
  for (int op = 0; op < around; ++op) kernel("behind_" + std::to_string(op));
  return t.build();
}

// Iterations that a pause of 40 us begins, and seven of 30 us stand within each: nothing tells them
// from layers but that the recording holds `cut` ops less than whole ones.
Trace begun_by_pauses(int count, int cut) {
  TraceBuilder t;
  int64_t time = 0;
  for (int i = 0; i < 120 * count - cut; ++i, time += 10) {
    const int op = i % 120;
    time += op == 0 ? 40'000 : op % 17 == 9 ? 30'000 : 0;
    t.launch("cudaLaunchKernel", time - 5, time + 4);
    t.kernel("kernel_" + std::to_string(op % 7 == 3 ? 3 : op), time, time + 8);
  }
  return t.build();
}

// Training with an evaluation of `batches` forward passes in the middle; half of an evaluation's
// kernels have other names, as normalisation and dropout do.
Trace training_with_evaluation(int batches) {
  TraceBuilder t;
  int64_t time = 0;
  const auto pass = [&](int ops, bool trains) {
    time += 50;
    for (int op = 0; op < ops; ++op, time += 10) {
      t.launch("cudaLaunchKernel", time - 5, time - 3);
      if (op == 0) t.copy(CopyKind::host_to_device, time, time + 8, 4096);
      else if (trains && op + 3 >= ops) t.kernel("adam_kernel", time, time + 8);
      else
        t.kernel((trains || op % 3 != 0 ? "kernel_" : "inference_") + std::to_string(op), time,
                 time + 8);
    }
  };
  for (int half = 0; half < 2; ++half) {
    for (int step = 0; step < 20; ++step) pass(60, true);
    for (int batch = 0; half == 0 && batch < batches; ++batch) pass(20, false);
  }
  return t.build();
}

// The trace without what starts in [from_ns, to_ns), which becomes a hole.
Trace without(Trace trace, int64_t from_ns, int64_t to_ns) {
  const auto take = [&](auto& rows, uint32_t device) {
    Hole hole{INT64_MAX, 0, device};
    std::erase_if(rows, [&](const auto& row) {
      const bool gone = row.start_ns >= from_ns && row.start_ns < to_ns;
      if (gone)
        hole = {std::min(hole.start_ns, row.start_ns), std::max(hole.end_ns, row.end_ns()), device};
      return gone;
    });
    trace.holes.push_back(hole);
  };
  take(trace.ops, 0);
  take(trace.calls, kNone);
  trace.finish();
  return trace;
}

}  // namespace

TEST_CASE(
    "pauses that may come in every layer show iterations where the recording holds whole ones "
    "alone") {
  const Mined whole = mine(begun_by_pauses(6, 0));
  REQUIRE(whole.devices.size() == 1);
  CHECK(whole.devices[0].verdict == Verdict::iteration);
  CHECK(whole.devices[0].iterations.size() == 6);
  CHECK(mine(begun_by_pauses(6, 40)).devices[0].verdict == Verdict::repeating_block);
}

TEST_CASE(
    "an iteration that was launched before the recording began is none of it, nor are a few ops at "
    "its end") {
  TraceBuilder t;
  int64_t time = 0;
  for (int i = 0; i < 10 * 60 + 20; ++i, time += 10) {
    const bool launched = i >= 55;  // the first iteration ran on when the recording began
    if (i % 60 == 0) time += 200;
    if (launched) t.launch("cudaLaunchKernel", time - 5, time + 4);
    if (i % 60 == 0) t.copy(CopyKind::host_to_device, time, time + 8, 4096);
    else t.kernel("kernel_" + std::to_string(i % 60), time, time + 8);
  }
  const Mined mined = mine(t.build());
  REQUIRE(mined.devices[0].verdict == Verdict::iteration);
  REQUIRE(mined.devices[0].iterations.size() == 9);
  CHECK(mined.devices[0].iterations.front().first == 60);
  CHECK(mined.devices[0].iterations.back().last == 600);
}

TEST_CASE("layers that are fed with parameters of a model on the host are no iterations") {
  const auto verdict_where_copies_take = [](int64_t copy_us) {
    TraceBuilder t;
    int64_t time = 0;
    for (int i = 0; i < 20 * 30; ++i) {
      const bool copies = i % 30 < 2;
      const int64_t end = time + (copies ? copy_us : 8);
      t.launch(copies ? "cudaMemcpy" : "cudaLaunchKernel", time - 5, end + 4);  // no pauses
      if (copies) t.copy(CopyKind::host_to_device, time, end, 4096);
      else t.kernel("kernel_" + std::to_string(i % 30), time, end);
      time = end + 10;
    }
    return mine(t.build()).devices[0].verdict;
  };
  CHECK(verdict_where_copies_take(50) == Verdict::iteration);
  CHECK(verdict_where_copies_take(5000) == Verdict::repeating_block);
}

TEST_CASE("a recording switched on between two steps is cut where its launches begin") {
  const Mined mined = mine(switched_on_between_steps(6));
  const DeviceMined& device = mined.devices[0];
  CHECK(device.verdict == Verdict::iteration);
  REQUIRE(device.iterations.size() == 6);
  for (uint32_t i = 0; i < 6; ++i) CHECK(device.iterations[i].first == 75 + 120 * i);
}

TEST_CASE("no iteration spans a hole, and those at its sides are not counted as whole") {
  const Trace whole = training(40, 50);
  const DeviceMined all = mine(whole, {}).devices[0];
  REQUIRE(all.iterations.size() == 40);
  const int64_t step_ns = all.iterations[11].start_ns - all.iterations[10].start_ns;
  // From the middle of the tenth step to some place of the twentieth, its border among them.
  for (const int64_t into_ns : {int64_t{0}, step_ns / 10, step_ns / 2, 9 * step_ns / 10}) {
    const int64_t from_ns = all.iterations[10].start_ns + step_ns / 2,
                  to_ns = all.iterations[20].start_ns + into_ns;
    const Trace trace = without(training(40, 50), from_ns, to_ns);
    const DeviceMined mined = mine(trace, {}).devices[0];
    INFO("ends " << into_ns << " into its step, found " << mined.iterations.size());
    CHECK(mined.verdict == Verdict::iteration);
    size_t complete = 0;
    for (const Iteration& iteration : mined.iterations) {
      CHECK_FALSE(touches_hole(holes_of(trace, 0), iteration.start_ns, iteration.end_ns));
      complete += !iteration.partial;
      if (iteration.partial) continue;
      const bool true_one =
          std::any_of(all.iterations.begin(), all.iterations.end(), [&](const Iteration& other) {
            return other.start_ns == iteration.start_ns &&
                   other.last - other.first == iteration.last - iteration.first;
          });
      INFO(iteration.first << " to " << iteration.last << " at " << iteration.start_ns);
      CHECK(true_one);
    }
    CHECK(complete >= 40 - 10 - 3);
    CHECK(complete <= 40 - 10);
  }
}

TEST_CASE("an empty trace has no devices, one op has no iterations") {
  CHECK(mine(Trace{}).devices.empty());
  TraceBuilder t;
  const Mined mined = mine(t.kernel("only", 0, 1).build());
  REQUIRE(mined.devices.size() == 1);
  CHECK(mined.devices[0].verdict == Verdict::none);
  CHECK_FALSE(mined.devices[0].reason.empty());
  CHECK(mined.devices[0].order.size() == 1);
}

TEST_CASE("of two optimizer runs, a level that holds none is no iteration by them") {
  TraceBuilder t;
  int64_t time = 0;
  const auto pass = [&](const std::string& name, int ops, bool trains) {
    for (int op = 0; op < ops; ++op, time += 10) {
      t.launch("cudaLaunchKernel", time - 5, time + 4);  // no pauses
      t.kernel(trains && op + 2 >= ops ? "adam_kernel" : name + std::to_string(op), time, time + 8);
    }
  };
  for (int step = 0; step < 2; ++step) pass("kernel_", 30, true);
  for (int i = 0; i < 3; ++i) pass("inference_", 100, false);
  const DeviceMined mined = mine(t.build()).devices.at(0);
  CAPTURE(mined.decided_by, mined.iterations.size(), mined.ops_per_iteration);
  CHECK(mined.verdict == Verdict::repeating_block);
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

TEST_CASE(
    "a few bytes copied in mark an iteration where the repetitions are all there is, and layers "
    "otherwise") {
  const DeviceMined toy = mine(fed_by_scalars(6, 0)).devices.at(0);
  CHECK(toy.verdict == Verdict::iteration);
  CHECK(toy.iterations.size() == 6);
  const DeviceMined layers = mine(fed_by_scalars(6, 30)).devices.at(0);
  CHECK(layers.verdict != Verdict::iteration);
}

TEST_CASE(
    "forward passes between training steps are an evaluation, though some of their kernels "
    "differ") {
  const DeviceMined mined = mine(training_with_evaluation(8)).devices.at(0);
  REQUIRE(mined.verdict == Verdict::iteration);
  uint32_t evaluated = 0;
  for (const Section& section : mined.sections) {
    if (section.kind == SectionKind::evaluation) evaluated += section.iterations;
  }
  CHECK(evaluated == 8);
}

TEST_CASE("checkpoints that are like each other are no iterations") {
  TraceBuilder t;
  int64_t time = 0;
  const auto step_time = [&] { return time += 10; };
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int step = 0; step < 15; ++step) {
      time += 60;
      t.launch("cudaMemcpyAsync", time, time + 3)
          .copy(CopyKind::host_to_device, time + 5, time + 8, 4096);
      for (int op = 0; op < 60; ++op) {
        const int64_t at = step_time();
        t.launch("cudaLaunchKernel", at, at + 3);
        t.kernel(op == 59 ? "adam_kernel" : "kernel_" + std::to_string(op), at + 5, at + 13);
      }
    }
    for (int tensor = 0; tensor < 50; ++tensor) {
      const int64_t at = step_time();
      t.launch("cudaMemcpyAsync", at, at + 3)
          .copy(CopyKind::device_to_host, at + 5, at + 9, 1 << 20);
    }
    time += 20'000;
  }
  const DeviceMined mined = mine(t.build()).devices.at(0);
  REQUIRE(mined.verdict == Verdict::iteration);
  CHECK(mined.iterations.size() == 45);
  const auto saved =
      std::count_if(mined.sections.begin(), mined.sections.end(),
                    [](const Section& section) { return section.kind == SectionKind::checkpoint; });
  CHECK(saved >= 2);
}

TEST_CASE("micro-steps are no iterations either where the recording ends within one") {
  TraceBuilder t;
  int64_t time = 0;
  constexpr int kOps = 40, kMicroSteps = 4, kSteps = 10;
  const auto run = [&](const std::string& name) {
    t.launch("cudaLaunchKernel", time, time + 3);
    name == "feed" ? t.copy(CopyKind::host_to_device, time + 5, time + 8, 4096)
                   : t.kernel(name, time + 5, time + 13);
    time += 10;
  };
  for (int i = 0; i < kSteps * kMicroSteps; ++i) {
    time += 100;
    run("feed");
    const bool cut = i + 1 == kSteps * kMicroSteps;
    for (int op = 0; op < (cut ? kOps - 10 : kOps); ++op) run("kernel_" + std::to_string(op));
    if ((i + 1) % kMicroSteps == 0 && !cut) run("change");
  }
  const DeviceMined mined = mine(t.build()).devices.at(0);
  REQUIRE(mined.verdict == Verdict::iteration);
  CHECK(mined.ops_per_iteration == kMicroSteps * (kOps + 1) + 1);
}

TEST_CASE("a budget that is too small is answered with its reason") {
  const Trace trace = training(20, 30);
  const DeviceMined memory = mine(trace, {.memory_budget_bytes = 100}).devices.at(0);
  CHECK(memory.verdict == Verdict::none);
  CHECK(memory.reason.find("allowed") != std::string::npos);
  const DeviceMined time = mine(trace, {.time_budget_ns = 1}).devices.at(0);
  CHECK(time.verdict == Verdict::none);
  CHECK(time.reason.find("time") != std::string::npos);
}

TEST_CASE("evaluation is a section of its own, and its passes are iterations") {
  TraceBuilder t;
  int64_t time = 0;
  const auto run = [&](const std::string& name) {
    t.launch("cudaLaunchKernel", time, time + 3);
    name == "feed" ? t.copy(CopyKind::host_to_device, time + 5, time + 8, 4096)
                   : t.kernel(name, time + 5, time + 13);
    time += 10;
  };
  const auto pass = [&](bool train) {
    time += 100;
    run("feed");
    for (int i = 0; i < 12; ++i) run("forward_" + std::to_string(i));
    for (int i = 0; train && i < 20; ++i) run("backward_" + std::to_string(i));
    if (train) run("adam_kernel");
  };
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (int i = 0; i < 20; ++i) pass(true);
    for (int i = 0; i < 6; ++i) pass(false);
  }
  const DeviceMined mined = mine(t.build()).devices.at(0);
  REQUIRE(mined.verdict == Verdict::iteration);
  CHECK(mined.iterations.size() == 52);
  CHECK(mined.confidence >= 0.5);
  std::string kinds;
  for (const Section& section : mined.sections)
    kinds += std::string(section_name(section.kind)) + " ";
  CHECK(kinds == "training evaluation training evaluation ");
}

TEST_CASE("a single evaluation at the end is an iteration as those before it are") {
  TraceBuilder t;
  int64_t time = 0;
  const auto pass = [&](int ops) {
    time += 50;
    for (int op = 0; op < ops; ++op, time += 10) {
      t.launch("cudaLaunchKernel", time - 5, time - 3);
      if (op == 0) t.copy(CopyKind::host_to_device, time, time + 8, 4096);
      else t.kernel(op >= 57 ? "adam_kernel" : "kernel_" + std::to_string(op), time, time + 8);
    }
  };
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int step = 0; step < 20; ++step) pass(60);
    pass(20);
  }
  const DeviceMined mined = mine(t.build()).devices.at(0);
  REQUIRE(mined.iterations.size() == 63);
  CHECK(mined.iterations.back().first == 60 * 60 + 2 * 20);
}

TEST_CASE("another job's kernels behind the last iteration make the answer less sure") {
  const auto confidence_before = [](const std::string& name) {
    TraceBuilder t;
    int64_t time = 0;
    for (int op = 0; op < 20 * 60 + 40; ++op, time += 10) {
      const bool behind = op >= 20 * 60;
      if (op % 60 == 0) time += 50;
      t.launch("cudaLaunchKernel", time - 5, time - 3);
      if (op % 60 == 0 && !behind) t.copy(CopyKind::host_to_device, time, time + 8, 4096);
      else t.kernel(behind ? name : "kernel_" + std::to_string(op % 60), time, time + 8);
    }
    const DeviceMined mined = mine(t.build()).devices.at(0);
    CHECK(mined.iterations.size() == 20);
    return mined.confidence;
  };
  CHECK(confidence_before("other") < 0.95 * confidence_before("kernel_5"));
}

TEST_CASE("pairs of unlike steps without an optimizer are called iterations, but not surely") {
  const auto alternating = [](int first, int second) {
    TraceBuilder t;
    int64_t time = 0;
    for (int step = 0; step < 40; ++step) {
      time += 50;
      for (int op = 0; op < (step % 2 == 0 ? first : second); ++op, time += 10) {
        t.launch("cudaLaunchKernel", time - 5, time - 3);
        if (op == 0) t.copy(CopyKind::host_to_device, time, time + 8, 4096);
        else t.kernel("kernel_" + std::to_string(op), time, time + 8);
      }
    }
    return mine(t.build()).devices.at(0);
  };
  const DeviceMined alike = alternating(40, 40), pairs = alternating(40, 55);
  CHECK(alike.iterations.size() == 40);
  CHECK(alike.confidence >= 0.9);
  REQUIRE(pairs.verdict == Verdict::iteration);
  CHECK(pairs.iterations.size() == 20);
  CHECK(pairs.confidence < 0.9);
}

TEST_CASE("an iteration that was launched before the recording lends no confidence") {
  const auto mined_where = [](int launched_from) {
    TraceBuilder t;
    int64_t time = 0;
    for (int i = 0; i < 4 * 60; ++i, time += 10) {
      if (i % 60 == 0) time += 200;
      if (i >= launched_from) t.launch("cudaLaunchKernel", time - 5, time + 4);
      if (i % 60 == 0) t.copy(CopyKind::host_to_device, time, time + 8, 4096);
      else t.kernel("kernel_" + std::to_string(i % 60), time, time + 8);
    }
    return mine(t.build()).devices.at(0);
  };
  CHECK(mined_where(0).iterations.size() == 4);
  CHECK(mined_where(0).confidence > 0.8);
  const DeviceMined cut = mined_where(55);  // the first ran on when the recording began
  CHECK(cut.iterations.size() == 3);
  CHECK(cut.confidence < 0.8);
}

TEST_CASE("parameters copied in just before the first input are none of the first iteration") {
  for (const int parameters : {20, 60, 161}) {
    TraceBuilder t;
    int64_t time = 0;
    const auto copy = [&] {
      t.launch("cudaMemcpyAsync", time - 5, time + 4)
          .copy(CopyKind::host_to_device, time, time + 8, 4096);
      time += 10;
    };
    for (int i = 0; i < parameters; ++i) copy();
    for (int step = 0; step < 12; ++step) {
      copy();
      for (int op = 0; op < 40; ++op, time += 10) {
        t.launch("cudaLaunchKernel", time - 5, time + 4);
        t.kernel("kernel_" + std::to_string(op % 13), time, time + 8);
      }
    }
    const DeviceMined mined = mine(t.build()).devices.at(0);
    CAPTURE(parameters);
    REQUIRE(mined.iterations.size() == 12);
    CHECK(mined.iterations.front().first == static_cast<uint32_t>(parameters));
  }
}

TEST_CASE("what takes none of the GPU's time is no iteration") {
  TraceBuilder t;
  int64_t time = 0;
  for (int step = 0; step < 20; ++step) {
    time += 50;
    for (int op = 0; op < 30; ++op, time += 10)
      t.launch("cudaLaunchKernel", time - 5, time - 3)
          .kernel(op >= 27 ? "adam_kernel" : "kernel_" + std::to_string(op), time, time);
  }
  t.launch("cudaLaunchKernel", time - 5, time - 3).kernel("kernel_of_all_the_time", time, time + 8);
  const DeviceMined mined = mine(t.build()).devices.at(0);
  CHECK(mined.iterations.size() == 20);
  CHECK(mined.verdict == Verdict::repeating_block);
}

TEST_CASE("what holds other loops beside the iteration is not covered by it") {
  TraceBuilder t;
  for (int i = 0; i < 900; ++i) t.kernel("k", 10 * i, 10 * i + 10);
  const Trace trace = t.build();
  const Sequence sequence = make_sequence(trace, 0, true);
  Stretch stretch;
  stretch.kind = SectionKind::steady;
  stretch.last = 900;
  const auto add = [&](uint32_t first, uint32_t last) {
    Tile tile;
    tile.first = first;
    tile.last = last;
    stretch.tiles.push_back(tile);
  };
  add(0, 800);
  for (uint32_t at = 800; at < 900; at += 10) add(at, at + 10);
  DeviceMined mined;
  assemble(trace, sequence, {stretch}, mined);
  CHECK(mined.ops_per_iteration == 10);
  CHECK(mined.coverage == Approx(100.0 / 900));
}
