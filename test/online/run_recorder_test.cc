#include "analysis/online/run_recorder.h"

#include "test/online/mined_job.h"
#include "test/support/catch.h"

using deepprof::RunStatistics;
using deepprof::test::Job;
using deepprof::test::mined;
using deepprof::test::Ops;
using deepprof::test::training_step;

TEST_CASE("iteration times, durations and busy time are those of the ops") {
  Job job(10, 0);
  const Ops step = training_step(2);
  job.run(step, 5'000);
  job.idle_ns = 5'000'000;
  job.run(step);
  job.idle_ns = 100'000;
  job.run(step, 1'000);
  const RunStatistics run = mined(job);
  int64_t busy_ns = 0;
  for (const uint32_t name : step) busy_ns += 1'000 + name * 100;
  const int64_t step_ns = busy_ns + static_cast<int64_t>(step.size()) * 500 + 100'000;
  REQUIRE(run.iterations.size() == 1);
  const auto& iteration = run.iterations[0];
  CHECK(iteration.count == 6'001);
  CHECK(iteration.time.count() == 6'000);  // the last has no next one
  CHECK(iteration.time.min_ns() == step_ns);
  CHECK(iteration.time.max_ns() == step_ns + 4'900'000);
  CHECK(static_cast<double>(iteration.time.quantile_ns(.5)) ==
        Approx(static_cast<double>(step_ns)).epsilon(.016));
  CHECK(run.busy_ns == busy_ns * 6'001);
  REQUIRE(iteration.slow_count == 1);
  CHECK(iteration.slow[0].number == 5'000);
  CHECK(iteration.slow[0].duration_ns == step_ns + 4'900'000);
  CHECK(iteration.slow[0].first_correlation == 5'000 * step.size() + 1);
  for (size_t i = 0; i < step.size(); ++i) {
    CHECK(iteration.durations[i].count() == 6'001);
    CHECK(iteration.durations[i].sum_ns == 6'001 * static_cast<int64_t>(1'000 + step[i] * 100));
  }
}

TEST_CASE("a checkpoint and the wait behind it are no iteration's time") {
  Job job(10, 0);
  const Ops step = training_step(12);
  for (int part = 0; part < 4; ++part) {
    job.run(step, 1'000);
    job.save(100, 900'000'000);
  }
  job.run(step, 1'000);
  const RunStatistics run = mined(job);
  REQUIRE(run.iterations.size() == 1);
  CHECK(run.iterations[0].count == 5'000);
  CHECK(run.iterations[0].time.count() ==
        4'995);  // but for those before a checkpoint, and the last
  CHECK(run.iterations[0].time.max_ns() < 100'000'000);
  CHECK(run.iterations[0].slow_count == 0);
}

TEST_CASE("each op is accounted once, at the iteration that it turned out to belong to") {
  Job job(20, .002);
  const Ops training = training_step(6);
  Ops evaluation(training.begin(), training.begin() + 4 + 6 * 12);
  for (uint32_t i = 0; i < 30; ++i) evaluation.push_back(90 + i);
  uint64_t evaluations = 0;
  for (int round = 0; round < 300; ++round) {
    job.run(training, 5);
    job.run(evaluation);
    ++evaluations;
  }
  const RunStatistics run = mined(job);
  REQUIRE(run.iterations.size() == 2);
  const auto& shared = run.iterations[1].durations;  // at the beginning: seen as the other at first
  REQUIRE(run.iterations[1].ops == evaluation);
  for (size_t i = 4; i < 60; ++i)
    CHECK(static_cast<double>(shared[i].count()) ==
          Approx(static_cast<double>(evaluations)).epsilon(.05));
  uint64_t at_positions = 0;
  for (const auto& iteration : run.iterations)
    for (size_t i = 0; i < iteration.ops.size(); ++i)
      at_positions += iteration.durations[i].count();
  CHECK(at_positions == run.explained_ops);
}

TEST_CASE("an op of many seconds is accounted in full") {
  Job job(19, 0);
  const Ops step = training_step(2);
  job.run(step, 3'000);
  constexpr int64_t kLong_ns = 7'000'000'000;
  const size_t at = job.begins[2'500] + 3;
  job.events[at].set_duration(kLong_ns);
  const RunStatistics run = mined(job);
  const auto longest = run.iterations.at(0).durations[3];
  const auto usual_ns = static_cast<int64_t>(1'000 + step[3] * 100);
  CHECK(longest.max_ns == kLong_ns);
  CHECK(longest.sum_ns == kLong_ns + 2'999 * usual_ns);
  CHECK(longest.count() == 3'000);
}
