// Where iterations end beside checkpoints and evaluations: the host's wait there is no iteration's.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "analysis/iterations/mine.h"
#include "test/support/catch.h"
#include "test/support/job.h"
#include "test/support/mined_invariants.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

constexpr double kWait_us = 900'000;
constexpr size_t kTensors = 20;

Launch kernel(const std::string& name) { return {.name = name}; }
Launch copy(CopyKind kind, uint64_t bytes) {
  return {.name = kind == CopyKind::host_to_device ? "Memcpy HtoD" : "Memcpy DtoH",
          .us = 2,
          .kind = Kind::memcpy,
          .copy = kind,
          .bytes = bytes};
}
Launch read(uint64_t bytes) { return copy(CopyKind::device_to_host, bytes); }
// Layers of five kernels.
Launches pass(const std::string& name, int count) {
  Launches launches;
  for (int i = 0; i < count; ++i) launches.push_back(kernel(name + std::to_string(i % 5)));
  return launches;
}

// What a test's steps do; what `between` does stands between two of them, once.
struct Script {
  uint64_t result_bytes = 4;
  int stalls_at = -1;  // the step behind `between` waits before its op of this number
  std::function<void(Job&)> between;
};

constexpr int kSteps = 20, kBetween = 10;  // in all, and before `between`

// The next input is copied while this one is computed, and the result is read behind the optimizer,
// which ends the iteration as the miner sees it: each begins with the result of the one before.
LabelledTrace input_ahead(const Script& script) {
  Job job(1);
  const Launches forward = pass("forward_", 20), backward = pass("backward_", 30);
  for (int i = 0; i < 30; ++i) job.run(copy(CopyKind::host_to_device, 1 << 20));  // parameters
  for (int step = 0; step < kSteps; ++step) {
    if (step == kBetween) script.between(job);
    job.begin_step();
    for (int i = 0; i < 20; ++i) {
      if (step == kBetween && i == script.stalls_at) job.host(kWait_us);
      job.run(forward[static_cast<size_t>(i)]);
    }
    job.host(500);
    job.run(copy(CopyKind::host_to_device, 1 << 20));
    job.run(backward);
    job.run(Launches(4, kernel("adam_kernel")));
    job.run(read(script.result_bytes));
    job.end_step();
  }
  return job.finish("input ahead");
}

void evaluate(Job& job) {
  for (int i = 0; i < 8; ++i) {
    job.run(pass("forward_", 15));
    job.run(pass("inference_", 5));
    job.run(copy(CopyKind::host_to_device, 1 << 20));
    job.run(read(256));
    job.sync();
  }
}

void save(Job& job, const std::vector<uint64_t>& bytes) {
  for (size_t i = 0; i < kTensors; ++i) job.run(read(bytes[i % bytes.size()])), job.sync();
}

struct Answer {
  DeviceMined mined;
  LabelledTrace truth;
  std::vector<size_t> long_ones;  // training iterations that hold a long wait

  int step(uint32_t at) const { return truth.step[mined.order[at]]; }
  // The first and the last op of a step.
  uint32_t first_of(int number) const {
    uint32_t at = 0;
    while (step(at) != number) ++at;
    return at;
  }
  uint32_t last_of(int number) const {
    uint32_t at = first_of(number);
    while (at + 1 < mined.order.size() && step(at + 1) == number) ++at;
    return at;
  }
  bool begins(uint32_t at) const {
    return std::any_of(mined.iterations.begin(), mined.iterations.end(),
                       [&](const Iteration& i) { return i.first == at; });
  }
  bool ends(uint32_t at) const {
    return std::any_of(mined.iterations.begin(), mined.iterations.end(),
                       [&](const Iteration& i) { return i.last == at + 1; });
  }
  double checkpoint_us() const {
    int64_t sum_ns = 0;
    for (const Section& section : mined.sections) {
      if (section.kind == SectionKind::checkpoint) sum_ns += section.end_ns - section.start_ns;
    }
    return static_cast<double>(sum_ns) / 1000;
  }
  bool holds(size_t iteration, uint32_t at) const {
    return mined.iterations[iteration].first <= at && at < mined.iterations[iteration].last;
  }
};

Answer answer(LabelledTrace truth) {
  Answer answer;
  answer.mined = mine(truth.trace).devices.at(0);
  answer.truth = std::move(truth);
  CHECK(broken_invariant(answer.truth.trace, answer.mined) == "");
  REQUIRE(answer.mined.verdict == Verdict::iteration);
  for (size_t i = 0; i < answer.mined.iterations.size(); ++i) {
    const Iteration& iteration = answer.mined.iterations[i];
    const bool trains = answer.mined.sections[iteration.section].kind == SectionKind::training;
    if (trains && static_cast<double>(iteration.end_ns - iteration.start_ns) > 500 * kWait_us)
      answer.long_ones.push_back(i);
  }
  return answer;
}

}  // namespace

TEST_CASE("the host's wait behind a checkpoint is no iteration's, whatever size its copies have") {
  const std::vector<uint64_t> all_sizes{512, 4 << 20, 640'000, 4, 9216};
  for (const uint64_t result : {uint64_t{4}, uint64_t{4096}}) {
    for (const std::vector<uint64_t>& sizes :
         {std::vector<uint64_t>{640'000}, std::vector<uint64_t>{result}, all_sizes}) {
      const Answer a = answer(input_ahead({.result_bytes = result, .between = [&](Job& job) {
                                             evaluate(job);
                                             save(job, sizes);
                                             job.host(kWait_us);
                                           }}));
      CAPTURE(result, sizes.size(), sizes[0]);
      CHECK(a.long_ones.empty());
      CHECK(a.begins(a.first_of(kBetween)));
      CHECK(a.checkpoint_us() > kWait_us);
    }
  }
}

TEST_CASE("nor where kernels write the checkpoint, or an evaluation is summed up by the host") {
  const std::vector<std::function<void(Job&)>> betweens{
      [](Job& job) {
        for (int i = 0; i < 90; ++i)
          job.run(kernel("cast_kernel")), job.run(kernel("pack_kernel")), job.sync();
        job.host(kWait_us);
      },
      [](Job& job) {
        for (int i = 0; i < 90; ++i) job.run(kernel("cast_kernel")), job.run(read(640'000));
        job.sync();
        job.run(kernel("checksum_kernel"));
        job.host(kWait_us);
      },
      [](Job& job) {
        evaluate(job);
        job.host(kWait_us);
      },
  };
  for (size_t i = 0; i < betweens.size(); ++i) {
    const Answer a = answer(input_ahead({.between = betweens[i]}));
    CAPTURE(i);
    CHECK(a.long_ones.empty());
    CHECK(a.begins(a.first_of(kBetween)));
  }
}

TEST_CASE("the host's wait in front of a checkpoint is no iteration's either") {
  const std::vector<Launch> written{read(640'000), read(4096), kernel("cast_kernel"),
                                    kernel("backward_4")};
  for (const Launch& tensor : written) {
    Job job(1);
    const Launches forward = pass("forward_", 20), backward = pass("backward_", 30);
    for (int step = 0; step < kSteps; ++step) {
      job.host(200);
      job.begin_step();
      job.run(copy(CopyKind::host_to_device, 1 << 20));
      job.run(forward);
      job.run(backward);
      // The last results of an epoch are not read.
      for (int i = 0; i < 3 && step + 1 != kBetween; ++i) job.run(read(4096)), job.sync();
      job.end_step();
      if (step + 1 != kBetween) continue;
      job.sync();
      job.host(kWait_us);
      for (int i = 0; i < 90; ++i) job.run(tensor), job.sync();
    }
    const Answer a = answer(job.finish("input first"));
    CAPTURE(tensor.name, tensor.bytes);
    CHECK(a.mined.iterations.size() == kSteps);
    CHECK(a.long_ones.empty());
    CHECK(a.ends(a.last_of(kBetween - 1)));
  }
}

TEST_CASE("a step that stalls is slow, beside a checkpoint, too") {
  SECTION("in its middle") {
    const Answer a = answer(input_ahead(
        {.stalls_at = 12, .between = [](Job& job) { evaluate(job), save(job, {640'000}); }}));
    REQUIRE(a.long_ones.size() == 1);
    CHECK(a.holds(a.long_ones[0], a.first_of(kBetween) + 12));
  }
  SECTION("behind its first op, which is no tensor") {
    const Answer a = answer(input_ahead({.between = [](Job& job) {
      evaluate(job);
      save(job, {640'000});
      job.run(read(4));
      job.host(kWait_us);
    }}));
    CHECK(a.long_ones.size() == 1);
  }
  SECTION("where no checkpoint is") {
    const Answer a = answer(input_ahead({.between = [](Job& job) { job.host(kWait_us); }}));
    CHECK(a.long_ones.size() == 1);
  }
}
