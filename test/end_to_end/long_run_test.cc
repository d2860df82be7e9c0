// Jobs too long for the file and the memory that they may take: the summary covers the whole run.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "analysis/iterations/mine.h"
#include "analysis/model/dprof.h"
#include "analysis/online/run_statistics_blob.h"
#include "analysis/report/summary.h"
#include "test/end_to_end/account.h"
#include "test/end_to_end/jobs.h"
#include "test/fake/workload/resnet.h"
#include "test/support/catch.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

constexpr int kIterations = 900;

const std::string& long_job() {
  static const std::string path = [] {
    fake::ResnetOptions options;
    options.iterations = kIterations;
    options.evaluate_every = 0;
    options.checkpoint_every = 0;
    std::string file = scratch_folder() + "/long.rec";
    REQUIRE(recording::write(file, fake::model_resnet(options).recording).empty());
    return file;
  }();
  return path;
}

JobOutcome run_long_job(std::map<std::string, std::string> environment) {
  JobSpec spec = injected();
  spec.recording = long_job();
  spec.environment.merge(environment);
  spec.arguments = {"--rate", "80000"};  // a busy machine has time to mine the first stretches
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  return job;
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
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
  CHECK(static_cast<double>(run->statistics.iteration_count()) ==
        Approx(kIterations).epsilon(.005));
  // The newest events are those of both launching threads, up to the skew of their buffers.
  const Mined mined = mine(loaded.trace);
  REQUIRE(mined.devices.size() == 1);
  const auto& found = mined.devices[0].iterations;
  const auto whole = [](const Iteration& iteration) { return iteration.last - iteration.first > 400; };
  CHECK(static_cast<double>(std::count_if(found.begin(), found.end(), whole)) >=
        .9 * static_cast<double>(found.size()));
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
  CHECK(job.errors.find("deepprof report") != std::string::npos);
}
