// Jobs too long for the file and the memory that they may take: the summary covers the whole run.
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

#include "analysis/iterations/mine.h"
#include "analysis/model/dprof.h"
#include "analysis/online/number_over_run.h"
#include "analysis/online/run_statistics_blob.h"
#include "analysis/report/figures.h"
#include "analysis/report/summary.h"
#include "libdeepprof/capture/buffer_pool.h"
#include "test/end_to_end/account.h"
#include "test/end_to_end/jobs.h"
#include "test/fake/workload/resnet.h"
#include "test/support/catch.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

constexpr int kIterations = 900;
constexpr uint32_t kStalled = 450;  // of the iterations of one repetition of the long job
constexpr int64_t kStalledFor_ns = 525'000'000;

const std::string& long_job() {
  static const std::string path = [] {
    fake::ResnetOptions options;
    options.iterations = kIterations;
    options.evaluate_every = 0;
    options.checkpoint_every = 0;
    options.stall_share = 0;
    options.long_stalls = {kStalled};
    std::string file = scratch_folder() + "/long.rec";
    REQUIRE(recording::write(file, fake::model_resnet(options).recording).empty());
    return file;
  }();
  return path;
}

JobSpec long_spec(std::map<std::string, std::string> environment) {
  JobSpec spec = injected();
  spec.recording = long_job();
  spec.environment.merge(environment);
  spec.arguments = {"--rate", "80000"};  // a busy machine has time to mine the first stretches
  return spec;
}

JobOutcome run_long_job(std::map<std::string, std::string> environment) {
  const JobOutcome job = run_job(long_spec(std::move(environment)));
  require_unharmed(job);
  return job;
}

constexpr int kRepeats = 3;

// More than its file may hold, which in turn holds several times what is on the way to the thread
// that follows the run: a slow iteration is known before its events have to go, also on a busy
// machine.
JobSpec very_long_spec() {
  JobSpec spec = long_spec({{"DEEPPROF_MAX_FILE", "3M"}});
  spec.environment["DEEPPROF_API"] = "launch";
  spec.arguments = {"--rate", "100000", "--repeat", std::to_string(kRepeats)};
  spec.give_up_after_s = 200;
  return spec;
}

int64_t sum_of(const CauseTimes& causes) {
  return std::accumulate(causes.begin(), causes.end(), int64_t{0});
}

// wall = busy + idle + not recorded, and the causes of idle time sum to it: of the run, of every
// section and iteration.
void require_exact(const Figures& figures) {
  const auto exact = [](const Account& account, const CauseTimes& causes) {
    const auto& parts = account.exposed_ns;
    const int64_t busy_ns = std::accumulate(parts.begin(), parts.end(), int64_t{0});
    REQUIRE(busy_ns + account.idle_ns + account.not_recorded_ns == account.wall_ns);
    REQUIRE(sum_of(causes) == account.idle_ns);
  };
  const DeviceFigures& device = figures.main();
  exact(device.run, device.run_idle);
  CHECK(device.run.not_recorded_ns > 0);
  for (size_t i = 0; i < device.iterations.size(); ++i)
    exact(device.iterations[i], device.iteration_idle[i]);
  for (size_t i = 0; i < device.sections.size(); ++i)
    exact(device.sections[i], device.section_idle[i]);
}

// The stalled iterations that the statistics know are in the trace, whole, under the number that
// the whole run gave them and that its summary prints. Returns how many that are.
int check_stalls(const Mined& mined, const RunStatistics& run) {
  int known = 0;
  const DeviceMined& device = mined.devices[0];
  for (const IterationStats& kind : run.iterations) {
    for (const auto& slow : kind.slow) {
      if (std::abs(slow.duration_ns - kStalledFor_ns) > kStalledFor_ns / 10) continue;
      ++known;
      INFO("iteration " << slow.number << ", " << slow.duration_ns << " ns");
      const auto found = device.find(static_cast<int64_t>(slow.number));
      CHECK(found.has_value());
      if (!found) continue;
      const Iteration& iteration = device.iterations[*found];
      CHECK_FALSE(iteration.partial);
      CHECK(std::abs(iteration.end_ns - iteration.start_ns - slow.duration_ns) <
            kStalledFor_ns / 10);
    }
  }
  return known;
}

// `stalls`: that have to be known at least.
void check_very_long_run(const LoadedDprof& loaded, int stalls) {
  const Trace& trace = loaded.trace;
  REQUIRE(trace.losses[Loss::segment_evicted] > 0);
  const auto run = decode_run_statistics(trace.blobs.at("run_statistics.0"));
  REQUIRE(run.has_value());
  Mined mined = mine(trace, {});
  number_over_run(trace, mined);
  INFO(mined.devices[0].numbers_text() << " of " << run->statistics.iteration_count());
  CHECK(mined.devices[0].iterations.front().number == 0);
  CHECK(check_stalls(mined, run->statistics) >= stalls);
  require_exact(compute_figures(trace, mined));
  const std::string report = summary_text(trace, mined, {});
  CHECK(report.find("WHOLE RUN") != std::string::npos);
  CHECK(report.find("were let go") != std::string::npos);
}

// On a busy machine the following may lag behind the run at its end, which the report says: what is
// counted is of the ops that were followed.
double followed_share(const RunStatistics& run) {
  recording::Recording job;
  REQUIRE(recording::read(long_job(), job).empty());
  return static_cast<double>(run.ops) / static_cast<double>(job.ops.size());
}

// A buffer holds the ops of one launching thread, and buffers are in the file in the order in which
// they were full: at an end of a stretch that was let go the ops of one thread may go on when those
// of the other one have ended, by no more than a buffer holds. Such iterations lack ops, and so may
// the one that the end itself cuts and its neighbour, whose end it hides.
std::ptrdiff_t most_partial_at_an_end() {
  constexpr size_t kKernelBytes = 216 + 40;  // of CUPTI 13.0, with its launch
  recording::Recording job;
  REQUIRE(recording::read(long_job(), job).empty());
  std::map<uint32_t, uint32_t> thread_of;  // by correlation
  for (const recording::Call& call : job.calls) thread_of[call.correlation] = call.thread;
  std::map<uint32_t, size_t> kernels;  // by thread
  for (const recording::Op& op : job.ops)
    if (op.kind == static_cast<uint8_t>(Kind::kernel)) ++kernels[thread_of.at(op.correlation)];
  REQUIRE(kernels.size() == 2);
  const size_t fewest = std::min(kernels.begin()->second, kernels.rbegin()->second) / kIterations;
  return static_cast<std::ptrdiff_t>(BufferPool::kBufferBytes / (fewest * kKernelBytes)) + 1 + 2;
}

}  // namespace

TEST_CASE("a run whose file is too small for it has its iterations counted over the whole run") {
  const JobOutcome job = run_long_job({{"DEEPPROF_MAX_FILE", "1M"}});
  const LoadedDprof loaded = only_trace(job);
  INFO(job.errors);
  REQUIRE(loaded.trace.losses[Loss::segment_evicted] > 0);
  REQUIRE(loaded.trace.blobs.count("run_statistics.0") == 1);
  const auto run = decode_run_statistics(loaded.trace.blobs.at("run_statistics.0"));
  REQUIRE(run.has_value());
  CHECK(run->statistics.ops > loaded.trace.ops.size());
  CHECK(followed_share(run->statistics) > .5);
  CHECK(static_cast<double>(run->statistics.iteration_count()) ==
        Approx(kIterations * followed_share(run->statistics)).epsilon(.005));
  const Mined mined = mine(loaded.trace);
  REQUIRE(mined.devices.size() == 1);
  const auto& found = mined.devices[0].iterations;
  const auto partial = [](const Iteration& iteration) { return iteration.partial; };
  const auto lacks_ops = [](const Iteration& iteration) {
    return !iteration.partial && iteration.last - iteration.first <= 400;
  };
  // The first three try kernels out, and where they begin is hard to tell (docs/mining.md).
  REQUIRE(found.size() > 3);
  CHECK(std::count_if(found.begin() + 3, found.end(), lacks_ops) == 0);
  const auto ends =
      static_cast<std::ptrdiff_t>(2 * holes_of(loaded.trace, mined.devices[0].device).size());
  INFO(mined.devices[0].numbers_text() << "; " << ends << " ends of stretches");
  // Besides what is cut at the recording's own two ends.
  CHECK(std::count_if(found.begin(), found.end(), partial) <= ends * most_partial_at_an_end() + 2);
  const std::string report = summary_text(loaded.trace, mined, {});
  CHECK(report.find("WHOLE RUN") != std::string::npos);
  CHECK(report.find("were let go") != std::string::npos);
}

TEST_CASE("a run too long for the summary's memory is summed up from what was counted on the way") {
  const JobOutcome job = run_long_job({{"DEEPPROF_MAX_MEMORY", "16M"}});
  INFO(job.errors);
  REQUIRE(job.reports.size() == 1);
  const std::string report = text_of(job.reports[0]);
  CHECK(report.find("WHOLE RUN") != std::string::npos);
  CHECK(report.find("counted by then") != std::string::npos);
  CHECK(job.errors.find("deepprof report") != std::string::npos);
}

TEST_CASE("a run that outgrows its file keeps the first, the slowest and the newest iterations") {
  const JobOutcome job = run_job(very_long_spec());
  require_unharmed(job);
  INFO(job.errors);
  const LoadedDprof loaded = only_trace(job);
  CHECK(loaded.complete);
  check_very_long_run(loaded, kRepeats);
}

TEST_CASE("the same holds of what is left of a job that was killed") {
  JobSpec spec = very_long_spec();
  spec.kill_after_records = 2'250'000;  // towards the end of its last repetition
  const JobOutcome job = run_job(spec);
  REQUIRE(job.signal == SIGKILL);
  const LoadedDprof loaded = only_trace(job);
  CHECK_FALSE(loaded.complete);
  check_very_long_run(loaded, 1);  // the statistics are some seconds old
}
