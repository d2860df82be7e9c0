#include "analysis/online/online_miner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "test/online/job.h"
#include "test/support/catch.h"

using deepprof::Event;
using deepprof::MinedStretch;
using deepprof::OfflineMiner;
using deepprof::OnlineMiner;
using deepprof::OnlineOptions;
using deepprof::OpRange;
using deepprof::RunStatistics;
using deepprof::Verdict;
using deepprof::test::Job;
using deepprof::test::Ops;
using deepprof::test::training_step;

namespace {

MinedStretch answer(std::vector<OpRange> tiles) {
  return {Verdict::iteration, .95, "the truth", std::move(tiles)};
}

// Where an op of the job is among its events.
size_t index_of(const Job& job, const Event& op) {
  const auto at = std::lower_bound(
      job.events.begin(), job.events.end(), op.correlation,
      [](const Event& event, uint32_t correlation) { return event.correlation < correlation; });
  return static_cast<size_t>(at - job.events.begin());
}

// An offline miner that is right: it knows by correlation where the job's iterations begin, those
// that are `of_each`-th: 1 for all, 4 if an iteration is made of four. What is tested here is what
// the online miner makes of its answer.
OfflineMiner truth_of(const Job& job, size_t of_each = 1) {
  return [&job, of_each](std::span<const Event> ops) {
    if (ops.empty()) return answer({});
    std::vector<OpRange> tiles;
    const size_t first = index_of(job, ops.front());
    for (size_t i = 0; i + of_each <= job.begins.size(); i += of_each) {
      const size_t begin = job.begins[i], end = job.ends[i + of_each - 1];
      if (begin < first || end > first + ops.size()) continue;
      tiles.push_back({static_cast<uint32_t>(begin - first), static_cast<uint32_t>(end - first)});
    }
    return answer(std::move(tiles));
  };
}

RunStatistics mined(std::span<const Event> ops, OfflineMiner offline, size_t batch = 1'000,
                    const OnlineOptions& options = {}) {
  OnlineMiner miner(0, std::move(offline), options);
  for (size_t at = 0; at < ops.size(); at += batch)
    miner.add(ops.subspan(at, std::min(batch, ops.size() - at)));
  miner.finish();
  return miner.statistics();
}

RunStatistics mined(const Job& job, size_t batch = 1'000) {
  return mined(job.events, truth_of(job), batch);
}

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

double count_error(const RunStatistics& run, const Job& job) {
  return std::abs(static_cast<double>(run.iteration_count()) / static_cast<double>(job.iterations) -
                  1);
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
  CHECK(count_error(run, job) <=
        .02);  // the ops that show that the pattern has changed are not followed
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

TEST_CASE("micro-steps taken for iterations are converted when later looks show the level above") {
  Job job(12, .001);
  job.run(training_step(3), 4'000);
  int looks = 0;
  const auto offline = [&](std::span<const Event> ops) {
    return truth_of(job, ++looks <= 3 ? 1 : 4)(ops);
  };
  const RunStatistics run = mined(job.events, offline, 1'000, {20'000, .6});
  CHECK(run.iteration_count() == Approx(1'000).epsilon(.005));
  REQUIRE(run.iterations.size() == 2);
  CHECK(run.iterations[0].worth() == Approx(.25));
  CHECK(run.iterations[1].ops.size() == 4 * training_step(3).size());
  CHECK(run.iterations[1].count > 100);
}

TEST_CASE("a single look that sees another level changes nothing") {
  Job job(13, .001);
  job.run(training_step(3), 4'000);
  int looks = 0;
  const auto offline = [&](std::span<const Event> ops) {
    return truth_of(job, ++looks == 4 ? 4 : 1)(ops);
  };
  const RunStatistics run = mined(job.events, offline, 1'000, {20'000, .6});
  CHECK(looks > 4);
  CHECK(run.iteration_count() == job.iterations);
}

TEST_CASE("a first look at few long iterations is made longer before it is believed") {
  Job job(21, .001);
  job.run(training_step(3), 4'000);
  std::vector<size_t> looks;
  const auto offline = [&](std::span<const Event> ops) {
    looks.push_back(ops.size());
    MinedStretch found = truth_of(job, looks.size() <= 3 ? 1 : 120)(ops);
    if (looks.size() == 4) found.confidence = .7;  // few: not as sure as of the many short ones
    return found;
  };
  const RunStatistics run = mined(job.events, offline, 1'000, {20'000, .6});
  REQUIRE(looks.size() >= 5);
  CHECK(looks[4] == 2 * looks[3]);
  CHECK(run.iteration_count() == Approx(4'000 / 120).margin(1));
}

TEST_CASE("looks that see parts of the iterations change nothing") {
  Job job(22, .001);
  job.run(training_step(3), 4'000);
  int looks = 0;
  const auto offline = [&](std::span<const Event> ops) {
    return truth_of(job, ++looks <= 3 ? 4 : 1)(ops);
  };
  const RunStatistics run = mined(job.events, offline, 1'000, {20'000, .6});
  CHECK(looks > 3);
  CHECK(run.iteration_count() == 1'000);
}

TEST_CASE("iterations that the offline miner left out are counted if they are whole") {
  Job job(23, 0);
  job.run(training_step(3), 2'000);
  const auto without_first = [&](std::span<const Event> ops) {
    MinedStretch found = truth_of(job)(ops);
    found.tiles.erase(found.tiles.begin() + 1);
    return found;
  };
  CHECK(mined(job.events, without_first, 1'000, {20'000, .6}).iteration_count() == 2'000);
}

TEST_CASE("iterations before the first that were recognised are counted when they are known") {
  Job job(24, .001);
  job.run(training_step(3), 4'000);
  const auto late = [&](std::span<const Event> ops) {
    return index_of(job, ops.front()) == 0 ? MinedStretch{} : truth_of(job)(ops);
  };
  const RunStatistics run = mined(job.events, late, 1'000, {20'000, .6});
  CHECK(run.verdict == Verdict::iteration);
  CHECK(count_error(run, job) <= .001);
}

TEST_CASE("the beginning is mined whenever it has doubled, and the answer on all of it holds") {
  Job job(14, 0);
  job.run(training_step(3), 4'000);
  std::vector<size_t> looks;
  const auto offline = [&](std::span<const Event> ops) {
    looks.push_back(ops.size());
    return truth_of(job, looks.size() <= 2 ? 1 : 4)(ops);
  };
  const RunStatistics run = mined(job.events, offline, 1'000, {20'000, .6});
  REQUIRE(looks.size() >= 3);
  CHECK(looks[0] == 20'000);
  CHECK(looks[1] == 40'000);
  CHECK(looks[2] == 80'000);
  CHECK(run.iteration_count() == 1'000);
}

TEST_CASE("a run that ends while it is held has the answer on the whole of it") {
  Job job(18, 0);
  job.run(training_step(3), 4'000);
  const std::span<const Event> short_run = std::span(job.events).first(job.begins[600]);
  const auto offline = [&](std::span<const Event> ops) {
    return truth_of(job, ops.size() == short_run.size() ? 4 : 1)(ops);
  };
  const OnlineOptions options{20'000, .6};
  REQUIRE(short_run.size() > 40'000);
  CHECK(mined(short_run, offline, 1'000, options).iteration_count() == 150);

  OnlineMiner in_a_hurry(0, offline, options);
  in_a_hurry.add(short_run);
  in_a_hurry.finish(false);
  CHECK(in_a_hurry.statistics().iteration_count() == 600);
}

TEST_CASE("what repeats without being an iteration is followed, and never counted as one") {
  Job job(15, .001);
  job.run(training_step(3), 4'000);
  int looks = 0;
  const auto block = [&](std::span<const Event> ops) {
    ++looks;
    MinedStretch found = truth_of(job)(ops);
    found.verdict = Verdict::repeating_block;
    found.confidence = .4;
    return found;
  };
  const OnlineOptions options{20'000, .6};
  const RunStatistics run = mined(job.events, block, 1'000, options);
  CHECK(run.verdict == Verdict::repeating_block);
  CHECK(run.iteration_count() == 0);
  REQUIRE(run.iterations.size() == 1);
  CHECK(run.iterations[0].count > 3'990);

  const int last_of_search = 3;
  looks = 0;
  const auto seen_late = [&](std::span<const Event> ops) {
    return looks < last_of_search ? block(ops) : truth_of(job)(ops);
  };
  const RunStatistics counted = mined(job.events, seen_late, 1'000, options);
  CHECK(counted.verdict == Verdict::iteration);
  CHECK(counted.iteration_count() == job.iterations);
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
