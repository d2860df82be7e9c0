// What the job's owner asks for by variables, and asks for wrongly: the job never minds.
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "test/end_to_end/account.h"
#include "test/end_to_end/jobs.h"
#include "test/support/catch.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// The job as a shell sees it: `script` runs "$0" "$1", which is fake_host with its recording.
JobSpec by_shell(const char* script) {
  JobSpec spec = injected();
  spec.command = {"/bin/bash", "-c", script, fake_dir() + "/fake_host", small_job()};
  spec.environment["FAKE_CUPTI_ACCOUNT"] = "";  // several processes
  return spec;
}

}  // namespace

TEST_CASE("a report that could not be written is not named as written") {
  // A name may have 255 bytes: there is room for ".dprof" behind it, and not for ".report.txt".
  JobSpec spec = injected();
  spec.environment["DEEPPROF_OUTPUT"] = std::string(243, 'x') + "%p";
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  INFO(job.errors);
  CHECK(job.reports.empty());
  CHECK(job.errors.find("cannot write the report: ") != std::string::npos);
  CHECK(job.errors.find("wrote") != std::string::npos);
  CHECK(job.errors.find("MB), ") == std::string::npos);
}

TEST_CASE(
    "with DEEPPROF_DELAY and DEEPPROF_DURATION that part of the run is kept, and the report says "
    "so") {
  JobSpec spec = injected();
  spec.arguments = {"--speed", "recorded", "--clock", "now"};
  spec.environment["DEEPPROF_DELAY"] = "500ms";
  spec.environment["DEEPPROF_DURATION"] = "0.6";
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  const LoadedDprof loaded = only_trace(job);
  REQUIRE_FALSE(loaded.trace.ops.empty());
  int64_t first = INT64_MAX, last = 0;
  for (const Op& op : loaded.trace.ops)
    first = std::min(first, op.start_ns), last = std::max(last, op.start_ns);
  CHECK(last - first < 600'000'000);
  CHECK_FALSE(loaded.trace.losses.any(Severity::warning));

  const auto& facts = loaded.trace.process.facts;
  const auto part = std::find_if(facts.begin(), facts.end(),
                                 [](const auto& f) { return f.first == "recorded_part"; });
  REQUIRE(part != facts.end());
  unsigned long long outside = 0;
  REQUIRE(std::sscanf(part->second.c_str(), "from 0.5 s after the start on for 0.6 s, %llu",
                      &outside) == 1);
  CHECK(outside > 0);
  outside -= 1;  // the job's cuDeviceGetCount at its start, which accounts leave out
  CHECK(events_in(loaded.trace) + outside == total(job.account->delivered));
  CHECK(has(job.errors, "recorded from 0.5 s after the start on for 0.6 s"));
}

TEST_CASE("a summary that hangs in a file of the user's is given up on, and that is said") {
  JobSpec spec = injected();
  const std::string rules = scratch_folder() + "/rules";
  REQUIRE(::mkfifo(rules.c_str(), 0600) == 0);  // nobody ever writes to it
  spec.environment["DEEPPROF_CATEGORIES"] = rules;
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  INFO(job.errors);
  CHECK(job.traces.size() == 1);
  CHECK(has(job.errors, "no time left for the whole summary: run deepprof report "));
}

TEST_CASE("a job that ends before DEEPPROF_DELAY is over leaves one line and no files") {
  JobSpec spec = injected();
  spec.arguments = {"--clock", "now"};
  spec.environment["DEEPPROF_DELAY"] = "1h";
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  CHECK(job.traces.empty());
  CHECK(job.reports.empty());
  CHECK(has(job.errors, "DEEPPROF_DELAY"));
}

TEST_CASE(
    "DEEPPROF_FORMAT makes the report file tables, and DEEPPROF_METRICS_FILE writes OpenMetrics "
    "text") {
  JobSpec spec = injected();
  const std::string metrics = scratch_folder() + "/job.%r.prom";
  spec.environment["RANK"] = "3";
  spec.environment["DEEPPROF_FORMAT"] = "json";
  spec.environment["DEEPPROF_METRICS_FILE"] = metrics;
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  CHECK(job.reports.empty());
  size_t json_files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(job.folder)) {
    if (entry.path().extension() != ".json") continue;
    ++json_files;
    CHECK(text_of(entry.path().string()).substr(0, 2) == "[{");
  }
  CHECK(json_files == 1);
  const std::string written = text_of(metrics.substr(0, metrics.find('%')) + "3.prom");
  CHECK(has(written, "deepprof_part_seconds{device=\"0\",part=\"idle\"}"));
  CHECK(has(written, "deepprof_losses_total{loss=\"ring_full\"} 0"));
  CHECK(written.substr(written.size() - 6) == "# EOF\n");
}

TEST_CASE(
    "whatever standard streams are closed, neither the log nor the trace takes their numbers") {
  const std::string log = scratch_folder() + "/log";
  // What the job prints to a closed stream must not land in a file of ours.
  JobSpec spec = by_shell("\"$0\" \"$1\" <&- 2>&-; exec 3>&1 >&-; \"$0\" \"$1\" >&3");
  spec.environment["DEEPPROF_LOG"] = log;
  const JobOutcome job = run_job(spec);
  REQUIRE(job.exit_code == 0);
  CHECK(job.output == "fake_host: launched everything\nfake_host: launched everything\n");
  CHECK(job.traces.size() == 2);
  const std::string lines = text_of(log);
  CHECK(has(lines, "using "));
  CHECK_FALSE(has(lines, "launched everything"));
}

TEST_CASE("a log that nobody reads, or that cannot be opened, costs the job nothing") {
  for (const char* log : {"/nowhere/log", "/dev/full", "stderr", "/"}) {
    INFO(log);
    JobSpec spec = injected();
    spec.environment["DEEPPROF_LOG"] = log;
    spec.environment["DEEPPROF_REPORT"] = "stderr";
    require_unharmed(run_job(spec));
  }
  JobSpec spec = by_shell("\"$0\" \"$1\" 2> >(exec true); sleep 0.1");
  spec.environment["DEEPPROF_LOG"] = "stderr";
  require_unharmed(run_job(spec));
}

TEST_CASE("a full pipe on stderr that nobody reads delays the end by seconds at most") {
  const JobOutcome job =
      run_job(by_shell("pipe=$(mktemp -u); mkfifo $pipe; exec 3<>$pipe; rm $pipe;"
                       "dd if=/dev/zero of=/dev/fd/3 bs=4096 count=100 oflag=nonblock 2>/dev/null; "
                       "\"$0\" \"$1\" 2>&3"));
  require_unharmed(job);
  CHECK(job.seconds < longest_run_s());
  CHECK(job.reports.size() == 1);
}

TEST_CASE("jobs that share one DEEPPROF_REPORT path leave a report each") {
  const std::string folder = scratch_folder();
  JobSpec spec = by_shell("\"$0\" \"$1\" & \"$0\" \"$1\" & \"$0\" \"$1\"; wait");
  spec.environment["DEEPPROF_REPORT"] = folder + "/report.txt";
  const JobOutcome job = run_job(spec);
  REQUIRE(job.exit_code == 0);
  size_t reports = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    ++reports;
    CHECK(has(text_of(entry.path().string()), "ITERATIONS"));
  }
  CHECK(reports == 3);
}

TEST_CASE("ranks that write into one folder leave a trace and a report each, named by rank") {
  const JobOutcome job = run_job(
      by_shell("RANK=0 WORLD_SIZE=2 \"$0\" \"$1\" & RANK=1 WORLD_SIZE=2 \"$0\" \"$1\"; wait"));
  REQUIRE(job.exit_code == 0);
  REQUIRE(job.traces.size() == 2);
  CHECK(job.reports.size() == 2);
  for (const char* rank : {".rank0.", ".rank1."}) {
    CHECK(std::count_if(job.traces.begin(), job.traces.end(),
                        [&](const auto& path) { return has(path, rank); }) == 1);
  }
}

TEST_CASE("values without sense cost one line each") {
  JobSpec spec = injected();
  spec.environment["DEEPPROF_MAX_FILE"] = "7";
  spec.environment["DEEPPROF_MAX_MEMORY"] = "99999999999999999999G";
  spec.environment["DEEPPROF_FLUSH_MS"] = "-5";
  spec.environment["DEEPPROF_DURATION"] = "soon";
  spec.environment["DEEPPROF_TYPO"] = "1";
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  for (const char* part :
       {"DEEPPROF_MAX_FILE=7 is too little", "DEEPPROF_MAX_MEMORY=", "DEEPPROF_FLUSH_MS=-5",
        "DEEPPROF_DURATION=soon", "unknown variable DEEPPROF_TYPO"}) {
    INFO(part);
    CHECK(has(job.errors, part));
  }
  CHECK(job.traces.size() == 1);
}
