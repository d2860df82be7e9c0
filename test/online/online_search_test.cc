#include <vector>

#include "test/online/mined_job.h"
#include "test/support/catch.h"

using deepprof::Event;
using deepprof::MinedStretch;
using deepprof::OnlineMiner;
using deepprof::OnlineOptions;
using deepprof::RunStatistics;
using deepprof::Verdict;
using deepprof::test::count_error;
using deepprof::test::index_of;
using deepprof::test::Job;
using deepprof::test::mined;
using deepprof::test::training_step;
using deepprof::test::truth_of;

TEST_CASE("micro-steps taken for iterations are converted when later looks show the level above") {
  Job job(12, .001);
  job.run(training_step(3), 4'000);
  int looks = 0;
  const auto offline = [&](std::span<const Event> ops) {
    return truth_of(job, ++looks <= 1 ? 1 : 4)(ops);
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
    return truth_of(job, ++looks == 2 ? 4 : 1)(ops);
  };
  const RunStatistics run = mined(job.events, offline, 1'000, {20'000, .6});
  CHECK(looks > 2);
  CHECK(run.iteration_count() == job.iterations);
}

TEST_CASE("a first look at few long iterations is made longer before it is believed") {
  Job job(21, .001);
  job.run(training_step(3), 4'000);
  std::vector<size_t> looks;
  const auto offline = [&](std::span<const Event> ops) {
    looks.push_back(ops.size());
    MinedStretch found = truth_of(job, looks.size() <= 1 ? 1 : 120)(ops);
    if (looks.size() == 2) found.confidence = .7;  // few: not as sure as of the many short ones
    return found;
  };
  const RunStatistics run = mined(job.events, offline, 1'000, {20'000, .6});
  REQUIRE(looks.size() >= 3);
  CHECK(looks[2] == 2 * looks[1]);
  CHECK(run.iteration_count() == Approx(4'000 / 120).margin(1));
}

TEST_CASE("looks that see parts of the iterations change nothing") {
  Job job(22, .001);
  job.run(training_step(3), 4'000);
  int looks = 0;
  const auto offline = [&](std::span<const Event> ops) {
    return truth_of(job, ++looks <= 1 ? 4 : 1)(ops);
  };
  const RunStatistics run = mined(job.events, offline, 1'000, {20'000, .6});
  CHECK(looks > 1);
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

TEST_CASE("the beginning is mined once") {
  Job job(14, 0);
  job.run(training_step(3), 2'000);
  std::vector<size_t> looks;
  const auto offline = [&](std::span<const Event> ops) {
    looks.push_back(ops.size());
    return truth_of(job)(ops);
  };
  const std::span<const Event> run = std::span(job.events).first(100'000);
  mined(run, offline, 1'000, {20'000, .6});
  CHECK(looks == std::vector<size_t>{80'000});
}

TEST_CASE("asked for early, the beginning is mined again when it is long, and that answer holds") {
  Job job(14, 0);
  job.run(training_step(3), 4'000);
  std::vector<size_t> looks;
  const auto offline = [&](std::span<const Event> ops) {
    looks.push_back(ops.size());
    return truth_of(job, looks.size() == 1 ? 1 : 4)(ops);
  };
  OnlineMiner miner(0, offline, {20'000, .6});
  for (size_t at = 0; at < job.events.size(); at += 1'000) {
    miner.add(std::span(job.events).subspan(at, std::min<size_t>(1'000, job.events.size() - at)));
    miner.look_early();
  }
  miner.finish();
  REQUIRE(looks.size() >= 2);
  CHECK(looks[0] == 20'000);
  CHECK(looks[1] == 80'000);
  CHECK(miner.statistics().iteration_count() == 1'000);
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
  in_a_hurry.add(short_run.first(30'000));
  in_a_hurry.look_early();
  in_a_hurry.add(short_run.subspan(30'000));
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

  const int last_of_search = 1;
  looks = 0;
  const auto seen_late = [&](std::span<const Event> ops) {
    return looks < last_of_search ? block(ops) : truth_of(job)(ops);
  };
  const RunStatistics counted = mined(job.events, seen_late, 1'000, options);
  CHECK(counted.verdict == Verdict::iteration);
  CHECK(counted.iteration_count() == job.iterations);
}

TEST_CASE("a search that finds nothing looks at four beginnings' ops at most") {
  Job job(25, 0);
  job.run(training_step(3), 2'000);
  const size_t changed = job.events.size();
  job.run_other(400'000);
  constexpr size_t kPrefix = 20'000;
  size_t most = 0;
  const auto offline = [&](std::span<const Event> ops) {
    most = std::max(most, ops.size());
    return index_of(job, ops.back()) < changed ? truth_of(job)(ops) : MinedStretch{};
  };
  mined(job.events, offline, 1'000, {kPrefix, .6});
  CHECK(most == 4 * kPrefix);
}

TEST_CASE("a change that shows when the level above is found is counted once") {
  for (const size_t before : {500u, 1'000u, 1'500u, 2'000u, 3'000u}) {
    Job job(26, 0);
    const size_t level_found = 16 * 20'000;  // the second, longer look ends there
    while (job.events.size() + before < level_found) job.run(training_step(3));
    job.run_other(6'000);
    job.run(training_step(5, 60), 3'000);
    int looks = 0;
    const auto offline = [&](std::span<const Event> ops) {
      return truth_of(job, ++looks <= 1 ? 1 : 4)(ops);
    };
    const RunStatistics run = mined(job.events, offline, 8'192, {20'000, .6});
    CHECK(run.iteration_count() == Approx(job.iterations / 4).margin(2));
  }
}
