#include "analysis/online/online_miner.h"

#include <utility>
#include <vector>

#include "test/online/mined_job.h"
#include "test/support/catch.h"

using deepprof::Event;
using deepprof::MinedStretch;
using deepprof::OnlineMiner;
using deepprof::OnlineOptions;
using deepprof::OpRange;
using deepprof::RunStatistics;
using deepprof::test::answer;
using deepprof::test::count_error;
using deepprof::test::Job;
using deepprof::test::mined;
using deepprof::test::Ops;
using deepprof::test::training_step;
using deepprof::test::truth_of;

namespace {

MinedStretch no_structure(std::span<const Event>) { return {}; }

std::vector<Event> ops_named(const std::vector<uint32_t>& names) {
  std::vector<Event> events(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    events[i].start_ns = static_cast<int64_t>(2'000 * i);
    events[i].set_duration(1'000);
    events[i].correlation = static_cast<uint32_t>(i + 1);
    events[i].name = names[i];
  }
  return events;
}

}  // namespace

TEST_CASE("the iterations of a quiet job are counted exactly, and every op is explained") {
  Job job(1, 0);
  job.run(training_step(24), 1'000);
  const RunStatistics run = mined(job);
  CHECK(run.iteration_count() == 1'000);
  REQUIRE(run.iterations.size() == 1);
  CHECK(run.iterations[0].ops == training_step(24));
  CHECK(run.ops == job.events.size());
  CHECK(run.explained_ops == run.ops);
  CHECK(run.iterations[0].broken == 0);
}

TEST_CASE("noise changes the count by what the targets allow") {
  const struct {
    double noise, most;
  } cases[] = {{.001, .005}, {.01, .005}, {.02, .01}, {.05, .02}};
  for (const uint32_t layers : {1u, 4u, 24u}) {
    for (const auto& [noise, most] : cases) {
      INFO("layers " << layers << " noise " << noise);
      Job job(2, noise);
      const Ops step = training_step(layers);
      job.run(step, 1'000'000 / step.size());
      const RunStatistics run = mined(job);
      CAPTURE(run.iteration_count(), job.iterations, run.explained_ops, run.ops,
              run.iterations.size());
      CHECK(count_error(run, job) <= most);
    }
  }
}

TEST_CASE("iterations of several kinds are told apart and counted each") {
  Job job(3, .01);
  const Ops training = training_step(12), evaluation = training_step(3, 60);
  for (int round = 0; round < 20; ++round) {
    job.run(training, 60);
    job.run(evaluation, 10);
  }
  const RunStatistics run = mined(job);
  REQUIRE(run.iterations.size() == 2);
  CHECK(run.iterations[0].count == 1'200);
  CHECK(run.iterations[1].count == 200);
}

TEST_CASE("iterations of different lengths that share their beginning are told apart") {
  Job job(4, .01);
  std::vector<uint64_t> times(4, 0);
  for (int i = 0; i < 3'000; ++i) {
    const auto kind = job.below(4);
    ++times[kind];
    job.run(training_step(static_cast<uint32_t>(4 + 3 * kind)));
  }
  const RunStatistics run = mined(job);
  REQUIRE(run.iterations.size() == 4);
  CHECK(run.iteration_count() == job.iterations);
  for (const auto& iteration : run.iterations)
    for (uint32_t kind = 0; kind < 4; ++kind)
      if (iteration.ops == training_step(4 + 3 * kind))
        CHECK(static_cast<double>(iteration.count) ==
              Approx(static_cast<double>(times[kind])).epsilon(.02));
}

TEST_CASE("a job that changes is mined again, and both parts are counted") {
  Job job(5, .01);
  job.run(training_step(12), 1'000);
  job.run(training_step(7, 60), 2'000);
  const RunStatistics run = mined(job);
  CHECK(run.iterations.size() == 2);
  CHECK(run.iteration_count() == job.iterations);
}

TEST_CASE("lost buffers cost only the iterations they held") {
  Job job(6, .001);
  const Ops step = training_step(12);
  uint64_t seen = 0;
  for (int i = 0; i < 2'000; ++i) {
    job.run(step);
    const bool lost = job.below(20) == 0;
    if (lost) job.lose(step.size() / 3);  // more than half of the iteration is left
    ++seen;
  }
  const RunStatistics run = mined(job);
  CHECK(count_error(run, job) <= .005);
  CHECK(seen == job.iterations);
}

TEST_CASE("ops without structure are counted, and mined ever less often") {
  Job job(7, 0);
  job.run_other(5'000'000);
  const RunStatistics run = mined(job.events, no_structure);
  CHECK(run.ops == job.events.size());
  CHECK(run.explained_ops == 0);
  CHECK(run.iteration_count() == 0);
  CHECK(run.minings <= 8);
  uint64_t named = 0;
  for (const auto& name : run.by_name()) named += name.count;
  CHECK(named == run.ops);
}

TEST_CASE("an irregular stretch within the job is left out, and the count goes on behind it") {
  Job job(8, 0);
  job.run(training_step(12), 800);
  job.run_other(30'000);
  job.run(training_step(12), 800);
  const RunStatistics run = mined(job);
  CHECK(run.iteration_count() == 1'600);
  CHECK(run.ops - run.explained_ops == Approx(30'000).epsilon(.01));
}

TEST_CASE("the size of the batches makes no difference") {
  Job job(9, .03);
  job.run(training_step(6), 2'000);
  const OnlineOptions options{20'000, .6};
  const auto in_batches_of = [&](size_t batch) {
    return mined(job.events, truth_of(job), batch, options);
  };
  const RunStatistics one_by_one = in_batches_of(1);
  CHECK(one_by_one.iteration_count() == job.iterations);
  for (const size_t batch : {100, 4'000, 20'000}) {
    const RunStatistics run = in_batches_of(batch);
    CHECK(run.iterations == one_by_one.iterations);
    CHECK(run.unexplained == one_by_one.unexplained);
    CHECK(run.busy_ns == one_by_one.busy_ns);
  }
}

TEST_CASE("iterations of ever new lengths are counted stretch by stretch, and timed") {
  Job job(16, .001);
  for (int i = 0; i < 3'000; ++i) job.run(training_step(static_cast<uint32_t>(2 + job.below(60))));
  const RunStatistics run = mined(job.events, truth_of(job), 1'000, {20'000, .6});
  CHECK(count_error(run, job) <= .002);
  CHECK(run.varying.count == run.iteration_count());
  CHECK(run.varying.time.count() + 1 == run.varying.count);
  CHECK(run.explained_ops > run.ops * 99 / 100);
  uint64_t named = 0;
  for (const auto& name : run.by_name()) named += name.count;
  CHECK(named == run.ops);
}

TEST_CASE("a kind of iteration that first comes late is learnt, though it shares its ops") {
  Job job(17, 0);
  const Ops training = training_step(12);
  const Ops evaluation(training.begin(), training.begin() + 4 + 12 * 12);
  for (int epoch = 0; epoch < 20; ++epoch) {
    job.run(training, 200);
    job.run(evaluation, 10);
  }
  const RunStatistics run = mined(job.events, truth_of(job), 1'000, {20'000, .6});
  REQUIRE(run.iterations.size() == 2);
  CHECK(run.iterations[1].ops == evaluation);
  CHECK(count_error(run, job) <= .005);
}

TEST_CASE("memory does not grow with the run") {
  Job job(11, .01);
  job.run(training_step(3), 20'000);
  OnlineMiner miner(0, truth_of(job));
  const auto again = [&] {
    miner.add(job.events);
    return miner.statistics().slices.size();
  };
  for (int i = 0; i < 4; ++i) CHECK(again() <= RunStatistics::kMaxSlices);
  CHECK(miner.statistics().iterations.size() == 1);
}

TEST_CASE("streams made to be hard end in linear time") {
  constexpr size_t kOps = size_t{1} << 20;
  std::vector<uint32_t> equal(kOps, 1), different(kOps), fibonacci{1}, thue_morse(kOps);
  for (size_t i = 0; i < kOps; ++i) {
    different[i] = static_cast<uint32_t>(i + 1);
    thue_morse[i] = 1 + (__builtin_popcountll(i) & 1);
  }
  for (std::vector<uint32_t> before{2}; fibonacci.size() < kOps;) {
    std::vector<uint32_t> longer = fibonacci;
    longer.insert(longer.end(), before.begin(), before.end());
    before = std::exchange(fibonacci, longer);
  }
  // Whatever the miner says of them.
  const uint32_t lengths[] = {1, 5, 1'000};
  for (const auto& names : {equal, different, fibonacci, thue_morse, {}, {7}}) {
    const std::vector<Event> ops = ops_named(names);
    for (const uint32_t length : lengths) {
      const RunStatistics run = mined(ops, [length](std::span<const Event> prefix) {
        std::vector<OpRange> tiles;
        for (uint32_t at = 0; at + length <= prefix.size(); at += length)
          tiles.push_back({at, at + length});
        return answer(std::move(tiles));
      });
      CHECK(run.ops == ops.size());
    }
  }
}
