// Recorded jobs of others, replayed: imported, exported as a recording, launched by the stand-in
// job under the unchanged library with every version of CUPTI, and read back from the .dprof that
// it wrote.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "analysis/export/recording.h"
#include "analysis/import/load.h"
#include "analysis/model/dprof.h"
#include "test/end_to_end/same_events.h"
#include "test/fake/run_job.h"
#include "test/support/catch.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

std::vector<std::string> kineto_traces() {
  const char* corpus = getenv("DEEPPROF_CORPUS");
  std::vector<std::string> paths;
  if (!corpus || !*corpus) return paths;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(corpus) + "/traces")) {
    const std::string path = entry.path().string();
    if (path.size() > 8 && path.substr(path.size() - 8) == ".json.gz") paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// What the library may and may not say of itself when nothing went wrong.
void require_clean(const JobOutcome& job) {
  INFO(job.errors);
  REQUIRE_FALSE(job.hung);
  REQUIRE(job.exit_code == 0);
  REQUIRE(job.output == "fake_host: launched everything\n");
  REQUIRE(job.traces.size() == 1);
  REQUIRE(job.account);
  REQUIRE(job.account->dirty_buffers == 0);
  REQUIRE(job.account->api_misuse == 0);
}

void replay_and_compare(const Trace& imported, const std::string& recording, const char* version) {
  JobSpec spec;
  spec.recording = recording;
  spec.cupti = version;
  spec.library = injected_library();
  spec.environment = {{"DEEPPROF_API", "all"}};
  // far above what the job itself launched, below what fills the ring
  spec.arguments = {"--rate", "150000"};
  const JobOutcome job = run_job(spec);
  require_clean(job);
  const Result<LoadedDprof> loaded = read_dprof(job.traces[0]);
  if (!loaded.ok()) FAIL(loaded.error());
  CHECK(loaded.value().notes.empty());
  for (const LossInfo& info : losses()) {
    INFO(info.name);
    CHECK(loaded.value().trace.losses[info.loss] == 0);
  }
  const std::string difference = first_difference(imported, loaded.value().trace);
  if (!difference.empty()) FAIL_CHECK(difference);
}

}  // namespace

TEST_CASE("a replayed job's trace holds the events of the trace that it was made from") {
  const auto traces = kineto_traces();
  if (traces.empty()) WARN("no DEEPPROF_CORPUS: recorded traces were not replayed");
  for (const std::string& path : traces) {
    absl::StatusOr<Trace> imported = load_trace(path);
    INFO(path);
    REQUIRE(imported.ok());
    // Kineto knows what a collective moves; CUPTI's kernel records do not.
    for (const Op& op : imported->ops) {
      if (op.kind == Kind::kernel && op.detail != 0) imported->details[op.detail].bytes = 0;
    }
    const std::string recording = scratch_folder() + "/job.rec";
    REQUIRE(recording::write(recording, to_recording(*imported)).empty());
    for (const char* version : kFakeCuptiVersions) {
      INFO("CUPTI " << version);
      replay_and_compare(*imported, recording, version);
    }
  }
}
