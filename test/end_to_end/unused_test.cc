// Jobs of `deepprof run` that use no GPU although there is a driver: who says so, and when.
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "test/end_to_end/jobs.h"
#include "test/support/catch.h"

using namespace deepprof::test;

namespace {

// With stderr through a pipe, whose end comes when whoever might still say something is gone.
JobOutcome piped(const std::string& command) {
  JobSpec spec;
  spec.command = {"/bin/bash", "-c",
                  "exec 3>&1; " + command + " 2>&1 >&3 | cat >&2; exit ${PIPESTATUS[0]}"};
  spec.environment = {{"LD_LIBRARY_PATH", fake_dir() + "/driver"},
                      {"FAKE_CUPTI_ACCOUNT", ""},
                      {"RECORDING", small_job()},
                      {"HOST", fake_dir() + "/fake_host"}};
  return run_job(spec);
}

// A copy that nobody else on this machine opens: whoever loads the library counts as the job.
const std::string& own_library() {
  static const std::string path = scratch_folder() + "/libdeepprof_inject.so";
  static const bool copied = std::filesystem::copy_file(injected_library(), path);
  REQUIRE(copied);
  return path;
}

JobOutcome run(const std::string& job, const std::string& options = "",
               const std::string& below = "") {
  const std::string deepprof =
      std::string(getenv("DEEPPROF_BINARY_DIR")) + "/analysis/cli/deepprof";
  return piped(below + deepprof + " run --library " + own_library() + " " + options + " -- " + job);
}

bool says_unused(const JobOutcome& job) {
  return job.errors.find("the job used no GPU on this machine") != std::string::npos;
}

}  // namespace

TEST_CASE("a job that used no GPU is told so in one line after its own, and keeps its exit code") {
  const JobOutcome job = run("sh -c 'echo mine >&2; exit 7'");
  CHECK(job.exit_code == 7);
  CHECK(job.output.empty());
  CHECK(job.errors.rfind("mine\ndeepprof run: the job used no GPU", 0) == 0);
  CHECK(std::count(job.errors.begin(), job.errors.end(), '\n') == 2);
  CHECK(says_unused(run("sh -c 'kill -KILL $$'")));
}

TEST_CASE("below a launcher the report of a child that used the GPU is all that is said") {
  const JobOutcome job = run("bash -c 'bash -c \"\\\"$HOST\\\" \\\"$RECORDING\\\"; true\"; true'");
  INFO(job.errors);
  CHECK(job.exit_code == 0);
  CHECK(job.traces.size() == 1);
  CHECK(job.errors.find("wrote deepprof.") != std::string::npos);
  CHECK_FALSE(says_unused(job));
}

TEST_CASE("a job that could not be started, or is preloaded, is not called unused") {
  const JobOutcome missing = run("/nonexistent");
  CHECK(missing.exit_code == 127);
  CHECK_FALSE(says_unused(missing));
  CHECK_FALSE(says_unused(run("true", "--preload")));
}

TEST_CASE("the job has no child and no open file of the process that looks on") {
  const std::string looks =
      "bash -c 'read children < /proc/$$/task/$$/children; cd /proc/$$/fd; echo [$children] *'";
  const JobOutcome job = run(looks);
  CHECK(says_unused(job));
  CHECK(job.output == piped(looks).output);
}

TEST_CASE("below a filter of system calls the job runs; one that ends processes ends the watch") {
  const std::string filtered =
      std::string(getenv("DEEPPROF_BINARY_DIR")) + "/test/end_to_end/filtered ";
  if (piped(filtered + "true").exit_code == 99) {
    WARN("no filter can be set here: n/a");
    return;
  }
  const JobOutcome job = run("sh -c 'echo mine >&2; exit 7'", "", filtered);
  CHECK(job.exit_code == 7);
  CHECK(job.errors == "mine\n");
  // Like Docker's: it answers, or lets pass, what the watch needs.
  const JobOutcome watched = run("sh -c 'echo mine >&2; exit 7'", "", filtered + "--few ");
  CHECK(watched.exit_code == 7);
  CHECK(says_unused(watched));
}
