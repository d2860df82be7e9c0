#include <random>

#include "analysis/online/duration_stats.h"
#include "analysis/online/online_miner.h"
#include "analysis/online/run_statistics_blob.h"
#include "test/online/job.h"
#include "test/support/catch.h"

using deepprof::DurationHistogram;
using deepprof::Event;
using deepprof::RunStatistics;
using deepprof::test::Job;
using deepprof::test::training_step;

namespace {

RunStatistics some_statistics() {
  Job job(1, .02);
  job.run(training_step(3), 3'000);
  job.run_other(500);
  deepprof::OnlineMiner miner(3, [&](std::span<const Event> ops) {
    deepprof::MinedStretch found{deepprof::Verdict::iteration, .9, "the truth", {}};
    for (size_t i = 0; i + 1 < job.begins.size() && job.begins[i + 1] <= ops.size(); ++i)
      found.tiles.push_back(
          {static_cast<uint32_t>(job.begins[i]), static_cast<uint32_t>(job.begins[i + 1])});
    return found;
  });
  miner.add(job.events);
  miner.finish();
  return miner.statistics();
}

}  // namespace

TEST_CASE("whole-run statistics survive being stored") {
  const RunStatistics run = some_statistics();
  REQUIRE(run.iteration_count() > 2'900);
  const auto read =
      deepprof::decode_run_statistics(deepprof::encode_run_statistics(run, {"", "gemm", "relu"}));
  REQUIRE(read.has_value());
  CHECK(read->statistics == run);
  CHECK(read->name(1) == "gemm");
  CHECK(read->name(3) == "?");
  CHECK(deepprof::run_statistics_key(3) == "run_statistics.3");
}

TEST_CASE("stored statistics that are cut or damaged are refused or read, and never crash") {
  const std::string bytes = deepprof::encode_run_statistics(some_statistics(), {"", "gemm"});
  for (size_t size = 0; size < bytes.size(); size += 1 + size / 64)
    CHECK_FALSE(deepprof::decode_run_statistics(bytes.substr(0, size)).has_value());
  CHECK_FALSE(deepprof::decode_run_statistics(bytes + '\0').has_value());
  std::mt19937 random(2);
  for (int i = 0; i < 2'000; ++i) {
    std::string damaged = bytes;
    for (int k = 0; k < 3; ++k) damaged[random() % damaged.size()] = static_cast<char>(random());
    static_cast<void>(deepprof::decode_run_statistics(damaged));
  }
}

TEST_CASE("the histogram's quantiles are within 1.6 % of the true ones") {
  std::mt19937_64 random(3);
  std::vector<int64_t> values;
  DurationHistogram histogram;
  for (int i = 0; i < 20'000; ++i) {
    const auto value = static_cast<int64_t>(random() % (uint64_t{1} << (random() % 40)));
    values.push_back(value);
    histogram.add(value);
  }
  std::sort(values.begin(), values.end());
  for (const double quantile : {0., .01, .5, .95, .99, .999}) {
    const auto truth = static_cast<double>(values[static_cast<size_t>(quantile * 20'000)]);
    CHECK(static_cast<double>(histogram.quantile_ns(quantile)) == Approx(truth).epsilon(.016));
  }
  CHECK(histogram.quantile_ns(1) == values.back());
}

TEST_CASE("the median deviation is that of the values") {
  DurationHistogram histogram;
  for (int i = 0; i < 100; ++i) {
    histogram.add(1'000'000);
    histogram.add(1'200'000);
    histogram.add(1'500'000);
  }
  CHECK(static_cast<double>(histogram.median_deviation_ns()) == Approx(200'000).epsilon(.1));
  CHECK(DurationHistogram().median_deviation_ns() == 0);
}
