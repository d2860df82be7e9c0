// Bad machines: full, slow and limited disks, interrupted calls, no memory. The job goes on as if
// nothing were; the trace says what it lacks, to the record.
#include <sys/stat.h>

#include <filesystem>

#include "test/end_to_end/account.h"
#include "test/end_to_end/jobs.h"
#include "test/support/catch.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

JobSpec on_bad_machine(const std::string& faults, std::vector<std::string> arguments = {}) {
  JobSpec spec = injected();
  spec.environment["LD_PRELOAD"] = fake_dir() + "/libfaulty_host.so";
  spec.environment["FAULTY_HOST"] = faults;
  spec.arguments = std::move(arguments);
  return spec;
}

void check_balance(const JobOutcome& job, const Trace& trace) {
  INFO(job.errors);
  const std::string difference = imbalance(job, trace);
  if (!difference.empty()) FAIL_CHECK(difference);
}

}  // namespace

TEST_CASE("interrupted and short writes leave the same trace") {
  const JobOutcome job = run_job(on_bad_machine("eintr=3,short=2"));
  require_unharmed(job);
  const LoadedDprof loaded = only_trace(job);
  CHECK(loaded.notes.empty());
  CHECK(loaded.trace.losses[Loss::write_failed] == 0);
  check_balance(job, loaded.trace);
}

TEST_CASE("a disk that fills up is said once, and every event that found no room is counted") {
  const JobOutcome job = run_job(on_bad_machine("enospc=60000", {"--repeat", "8"}));
  require_unharmed(job);
  CHECK(job.errors.find("No space left") != std::string::npos);
  CHECK(job.errors.find("No space left") == job.errors.rfind("No space left"));
  const LoadedDprof loaded = only_trace(job);
  CHECK(events_in(loaded.trace) > 1'000);
  CHECK(events_in(loaded.trace) < total(job.account->delivered));
}

TEST_CASE("a file size limit costs the job no signal") {
  JobSpec spec = injected();
  spec.command = {"/bin/bash", "-c", "ulimit -f 40; exec \"$0\" \"$@\"", fake_dir() + "/fake_host",
                  small_job()};
  spec.arguments = {"--repeat", "8"};
  // The account of the stand-in CUPTI is itself larger than the limit allows.
  spec.environment["FAKE_CUPTI_ACCOUNT"] = "";
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  CHECK(job.errors.find("File too large") != std::string::npos);
}

TEST_CASE("a log or a stderr that has reached the file size limit costs the job no signal") {
  JobSpec spec = injected();
  const std::string log = scratch_folder() + "/log";
  // The trace, which is over the limit too, is what there is to say on stderr.
  spec.command = {"/bin/bash", "-c",
                  "head -c 40960 /dev/zero > \"$DEEPPROF_LOG\"; head -c 40960 /dev/zero >&2; "
                  "ulimit -f 40; exec \"$0\" \"$@\"",
                  fake_dir() + "/fake_host", small_job()};
  spec.arguments = {"--repeat", "8"};
  spec.environment["DEEPPROF_LOG"] = log;
  spec.environment["FAKE_CUPTI_ACCOUNT"] = "";
  const JobOutcome job = run_job(spec);
  CHECK(std::filesystem::file_size(log) == 40960);
  CHECK(job.errors.size() == 40960);
  require_unharmed(job);
}

TEST_CASE("a disk that stalls for ten seconds never makes the job wait") {
  // 200,000 records a second: the ring is full after some seconds, and drops what is newest.
  const JobOutcome job =
      run_job(on_bad_machine("slow_ms=10000,slow_at=3", {"--rate", "200000", "--seconds", "4"}));
  require_unharmed(job);
  CHECK(job.seconds < 4 + longest_run_s());  // its own time and what an exit may take
}

TEST_CASE("what a disk does not take for ten seconds is counted, and what comes then is written") {
  const JobOutcome job = run_job(on_bad_machine(
      "slow_ms=10000,slow_at=3", {"--rate", "200000", "--seconds", "14", "--clock", "now"}));
  require_unharmed(job);
  CHECK(job.seconds < 14 + longest_run_s());
  const LoadedDprof loaded = only_trace(job);
  check_balance(job, loaded.trace);
  CHECK(loaded.trace.losses[Loss::ring_full] > 0);
  REQUIRE_FALSE(loaded.trace.ops.empty());
  CHECK(loaded.trace.ops.back().start_ns - loaded.trace.ops.front().start_ns > 11'000'000'000);
}

TEST_CASE("a stall that passes loses nothing but what the ring counts") {
  const JobOutcome job =
      run_job(on_bad_machine("slow_ms=1500,slow_at=3", {"--rate", "200000", "--seconds", "3"}));
  require_unharmed(job);
  const LoadedDprof loaded = only_trace(job);
  check_balance(job, loaded.trace);
}

TEST_CASE("without memory for its own threads the library loses records, never the job") {
  for (const char* every : {"1", "3", "50"}) {
    INFO("every " << every << "th allocation fails");
    const JobOutcome job = run_job(on_bad_machine(std::string("malloc=") + every));
    require_unharmed(job);
    CHECK(job.seconds < longest_run_s());
  }
}

TEST_CASE("an output folder that vanishes while the job runs costs it nothing") {
  JobSpec spec = injected();
  const std::string folder = scratch_folder() + "/vanishing";
  std::filesystem::create_directory(folder);
  spec.environment["DEEPPROF_OUTPUT"] = folder;
  spec.command = {"/bin/bash", "-c",
                  "\"$0\" \"$@\" & sleep 0.3; rm -rf \"$DEEPPROF_OUTPUT\"; wait $!",
                  fake_dir() + "/fake_host", small_job()};
  spec.arguments = {"--speed", "2"};
  require_unharmed(run_job(spec));
}

TEST_CASE("a folder that may not be written is said in one line") {
  JobSpec spec = injected();
  spec.environment["DEEPPROF_OUTPUT"] = "/proc/sys";
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  CHECK(job.errors.find("cannot write the trace") != std::string::npos);
  CHECK(std::count(job.errors.begin(), job.errors.end(), '\n') == 1);
}
