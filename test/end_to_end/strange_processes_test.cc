// Processes that are not plain jobs: with rights of another user, of 32 bits, below a launcher, or
// with libraries that come and go.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "analysis/model/facts.h"
#include "libdeepprof/capture/own_descriptors.h"
#include "test/end_to_end/account.h"
#include "test/end_to_end/jobs.h"
#include "test/support/catch.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

std::string source(const char* name) {
  return std::string(getenv("DEEPPROF_SOURCE_DIR")) + "/test/end_to_end/" + name;
}
std::string built(const char* name) {
  return std::string(getenv("DEEPPROF_BINARY_DIR")) + "/test/end_to_end/" + name;
}
std::string libcuda() { return fake_dir() + "/driver/libcuda.so.1"; }

JobSpec command(std::vector<std::string> words) {
  JobSpec spec = injected();
  spec.command = std::move(words);
  spec.environment["FAKE_CUPTI_ACCOUNT"] = "";  // several processes, or of another user
  return spec;
}

size_t kernels_in(const std::string& path) {
  const Result<LoadedDprof> loaded = read_dprof(path);
  REQUIRE(loaded.ok());
  return loaded.value().trace.ops.size();
}

}  // namespace

TEST_CASE("in a program with the rights of another user the library does nothing") {
  const std::string plain = built("setuid_host");
  const JobOutcome as_itself = run_job(command({plain, libcuda()}));
  REQUIRE(as_itself.output == "plain\n");
  CHECK(as_itself.traces.size() == 1);
  if (geteuid() != 0) {
    WARN("not root: no program can be given another user's rights here");
    return;
  }
  namespace fs = std::filesystem;
  // Where a user without rights can reach it, and could write a trace.
  const fs::path folder =
      fs::temp_directory_path() / ("deepprof-setuid-" + std::to_string(getpid()));
  fs::create_directory(folder);
  REQUIRE(chmod(folder.c_str(), 0777) == 0);
  const std::string program = folder / "program", driver = folder / "libcuda.so.1",
                    library = folder / "library.so";
  fs::copy_file(plain, program);
  fs::copy_file(libcuda(), driver);
  fs::copy_file(injected_library(), library);
  REQUIRE(chmod(program.c_str(), 04755) == 0);
  JobSpec spec =
      command({"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", program, driver});
  spec.library = library;
  spec.environment["DEEPPROF_OUTPUT"] = folder / "out";
  const JobOutcome job = run_job(spec);
  INFO(job.errors);
  CHECK(job.exit_code == 0);
  CHECK(job.output == "secure\n");
  CHECK(job.errors.empty());
  CHECK_FALSE(fs::exists(folder / "out"));
  fs::remove_all(folder);
}

TEST_CASE("a 32-bit child of a preloaded job runs as it would") {
  const std::string child = built("child32");
  if (access(child.c_str(), X_OK) != 0) {
    WARN("no 32-bit compiler here: n/a");
    return;
  }
  JobSpec spec = command(
      {"/bin/bash", "-c", "\"$0\"; \"$1\" \"$2\"", child, fake_dir() + "/fake_host", small_job()});
  spec.environment["LD_PRELOAD"] = injected_library();
  const JobOutcome job = run_job(spec);
  CHECK(job.exit_code == 0);
  CHECK(job.output == "32 bits\nfake_host: launched everything\n");
  CHECK(job.traces.size() == 1);
}

TEST_CASE("a job that closes the driver and libcupti between two uses loses nothing") {
  const JobOutcome job =
      run_job(command({"python3", source("library_job.py"), libcuda(), "dlclose"}));
  INFO(job.errors);
  REQUIRE(job.exit_code == 0);
  CHECK(job.output == "done\n");
  REQUIRE(job.traces.size() == 1);
  CHECK(kernels_in(job.traces[0]) == 2000);
}

TEST_CASE(
    "a job that closes all descriptors and opens its own, all the time, loses none of them and no "
    "record") {
  bool able = false;
  std::thread([&] {
    const OwnDescriptors own;
    able = OwnDescriptors::here();
  }).join();
  if (!able) {
    WARN("refused or filtered here: threads of ours stay with the job's descriptors: n/a");
    return;
  }
  JobSpec spec = injected();
  spec.environment["DEEPPROF_SAMPLE_MS"] = "1";
  spec.environment["DEEPPROF_FLUSH_MS"] = "2";
  spec.arguments = {"--rate", "2000", "--seconds", "3", "--close-all"};
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  const LoadedDprof loaded = only_trace(job);
  CHECK(imbalance(job, loaded.trace).empty());
  CHECK(loaded.trace.losses[Loss::write_failed] == 0);
}

TEST_CASE(
    "a filter that ends the process at system calls that hardly any job makes finds none of ours") {
  const std::string filtered = built("filtered");
  if (run_job(command({filtered, "true"})).exit_code == 99) {
    WARN("no filter can be set here: n/a");
    return;
  }
  CHECK(run_job(command({filtered, "unshare", "true"})).signal == SIGSYS);
  JobSpec spec = injected();
  spec.command = {filtered, fake_dir() + "/fake_host", small_job()};
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  CHECK(imbalance(job, only_trace(job).trace).empty());
  CHECK(job.reports.size() == 1);
}

TEST_CASE("a second libcupti that comes later is counted in the file, and the first goes on") {
  const JobOutcome job = run_job(command(
      {"python3", source("library_job.py"), libcuda(), "second-cupti", fake_cupti("12.9")}));
  INFO(job.errors);
  REQUIRE(job.exit_code == 0);
  const LoadedDprof loaded = only_trace(job);
  CHECK(loaded.trace.ops.size() == 2000);
  CHECK(fact_or_empty(loaded.trace, "cupti_copies") == "2");
}

TEST_CASE("a job that loads libcupti after a start that found none is told so, and runs on") {
  JobSpec spec =
      command({"python3", source("library_job.py"), libcuda(), "second-cupti", fake_cupti("13.0")});
  spec.environment["DEEPPROF_CUPTI"] = "/nowhere/libcupti.so.13";
  const JobOutcome job = run_job(spec);
  INFO(job.errors);
  CHECK(job.exit_code == 0);
  CHECK(job.output == "done\n");
  CHECK(job.traces.empty());
  CHECK(job.errors.find("deepprof: capture is off: cannot load /nowhere/libcupti.so.13") == 0);
  CHECK(std::count(job.errors.begin(), job.errors.end(), '\n') == 1);
}

TEST_CASE(
    "below a launcher each rank leaves a trace and a report under its own name, and the launcher "
    "none") {
  const JobOutcome job = run_job(
      command({"python3", source("launcher.py"), "end", fake_dir() + "/fake_host", small_job()}));
  INFO(job.errors);
  CHECK(job.output == "[0, 0]\n");
  CHECK(job.traces.size() == 2);
  CHECK(job.reports.size() == 2);
}

TEST_CASE("a launcher that ends the other rank by SIGTERM still leaves a trace of each") {
  const JobOutcome job =
      run_job(command({"python3", source("launcher.py"), "fail", fake_dir() + "/fake_host",
                       small_job(), "--rate", "20000", "--clock", "now"}));
  INFO(job.errors);
  CHECK(job.output == "[-15, 3]\n");
  REQUIRE(job.traces.size() == 2);
  for (const std::string& trace : job.traces) CHECK(kernels_in(trace) > 0);
}

TEST_CASE("a step of the wall clock is noticed and told, and nothing of ours waits for it") {
  JobSpec spec = injected();
  spec.environment["LD_PRELOAD"] = fake_dir() + "/libfaulty_host.so";
  spec.environment["FAULTY_HOST"] = "step_s=3600,step_at_ms=1500";
  spec.arguments = {"--rate", "2000", "--seconds", "6"};
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  INFO(job.errors);
  const LoadedDprof loaded = only_trace(job);
  CHECK(imbalance(job, loaded.trace).empty());
  CHECK(fact_or_empty(loaded.trace, "clock_steps") == "1");
  CHECK(job.errors.find("the wall clock was set") != std::string::npos);
  CHECK(job.seconds < 6 + longest_run_s());
}
