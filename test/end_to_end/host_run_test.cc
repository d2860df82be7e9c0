// Jobs without a GPU under `deepprof run --cpu`: real Python processes, the real library.
#include <cstdlib>
#include <filesystem>

#include "analysis/device/steps.h"
#include "analysis/device/usage.h"
#include "analysis/model/dprof.h"
#include "test/end_to_end/jobs.h"
#include "test/support/catch.h"
#include "test/trace/temporary_folder.h"

namespace deepprof::test {
namespace {

std::string source(const char* path) {
  return std::string(::getenv("DEEPPROF_SOURCE_DIR")) + "/" + path;
}

JobSpec host_job(std::vector<std::string> options, std::vector<std::string> command) {
  JobSpec spec;
  spec.cupti.clear();
  spec.command = {std::string(::getenv("DEEPPROF_BINARY_DIR")) + "/analysis/cli/deepprof", "run",
                  "--cpu", "--library", injected_library()};
  spec.command.insert(spec.command.end(), options.begin(), options.end());
  spec.command.emplace_back("--");
  spec.command.insert(spec.command.end(), command.begin(), command.end());
  spec.environment = {{"PYTHONPATH", source("test/fake/python")}, {"DEEPPROF_BATCH", "64"}};
  return spec;
}

Trace trace_of(const JobOutcome& job) {
  INFO(job.errors);
  REQUIRE_FALSE(job.hung);
  REQUIRE(job.exit_code == 0);
  REQUIRE(job.traces.size() == 1);
  Result<LoadedDprof> loaded = read_dprof(job.traces[0]);
  REQUIRE(loaded);
  CHECK(loaded.value().complete);
  return std::move(loaded.value().trace);
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a run without a GPU has its process and its machine, and claims no iterations") {
  const JobOutcome job =
      run_job(host_job({}, {"python3", source("test/end_to_end/cpu_job.py"), "40"}));
  const Trace trace = trace_of(job);
  CHECK(job.output == "done\n");
  CHECK(trace.ops.empty());
  const SampleIndex samples(trace);
  const HostMeter meter(samples);
  const HostUse use = meter.in(meter.span());
  REQUIRE(use.process_cpu_ratio);
  CHECK(*use.process_cpu_ratio > 0);
  CHECK(use.process_memory_peak_bytes.value_or(0) > 1e6);
  CHECK(use.process_threads_most.value_or(0) >= 1);
  CHECK(find_steps(SampleIndex(trace)).count == 0);
  CHECK(holds(job.errors, "no GPU recorded"));
  CHECK(holds(job.errors, "no iterations are claimed"));
  CHECK(holds(job.errors, "next: deepprof device"));
}

TEST_CASE("a short run has all figures, those that are sampled once a second, too") {
  const JobOutcome job = run_job(host_job(
      {}, {"python3", "-c",
           "import subprocess, time; c = subprocess.Popen(['sleep', '9']); time.sleep(2.4); "
           "c.kill(); c.wait()"}));
  const Trace trace = trace_of(job);
  const SampleIndex samples(trace);
  const HostMeter meter(samples);
  const HostUse use = meter.in(meter.span());
  CHECK(use.system_cpu_ratio);
  CHECK(use.system_io_wait_ratio);
  CHECK(use.children_cpu_ratio);
  CHECK(use.process_written_bytes);
  CHECK(use.involuntary_switches);
  CHECK(holds(job.errors, "IO wait"));
}

TEST_CASE("a run of a moment says which figures it was too short for") {
  const JobOutcome job = run_job(host_job({}, {"python3", "-c", "import time; time.sleep(.02)"}));
  trace_of(job);
  CAPTURE(job.errors);
  const bool is_complete = holds(job.errors, "IO wait") && holds(job.errors, "of all cores busy");
  // Of other figures the note may be there beside these.
  CHECK((is_complete || holds(job.errors, "too short a run")));
}

TEST_CASE("with --steps the optimizer's steps are the iterations, and no file of theirs stays") {
  const TemporaryFolder folder;
  JobSpec spec =
      host_job({"--steps"}, {"python3", source("test/end_to_end/cpu_job.py"), "30", "torch"});
  spec.environment["TMPDIR"] = folder / "";
  const JobOutcome job = run_job(spec);
  const Trace trace = trace_of(job);
  const Steps steps = find_steps(SampleIndex(trace));
  CHECK(steps.count == 30);
  CHECK(steps.optimizers == 1);
  REQUIRE(steps.windows.size() == 29);
  for (size_t i = 0; i < steps.windows.size(); ++i) {
    // the loop's own work
    CHECK(steps.windows[i].end_ns - steps.windows[i].start_ns >= 20'000'000);
    CHECK(steps.optimizer_ns[i] < steps.windows[i].end_ns - steps.windows[i].start_ns);
  }
  CHECK(holds(job.errors, "30 optimizer steps, told by the framework"));
  CHECK(holds(job.errors, "items/s"));
  CHECK(std::filesystem::is_empty(folder / ""));
}

TEST_CASE("the file of the steps is removed though the job has changed TMPDIR", "[plain]") {
  const TemporaryFolder folder;
  const std::string code =
      "import os, sys, time; os.environ['TMPDIR'] = '/nowhere'; sys.argv[1:] = ['5', 'torch']; "
      "exec(open('" +
      source("test/end_to_end/cpu_job.py") + "').read())";
  JobSpec spec = host_job({"--steps"}, {"python3", "-c", code});
  spec.environment["TMPDIR"] = folder / "";
  const Trace trace = trace_of(run_job(spec));
  CHECK(find_steps(SampleIndex(trace)).count == 5);
  CHECK(std::filesystem::is_empty(folder / ""));
}

TEST_CASE(
    "a launcher that becomes the job leaves no file of its own, and children are not recorded",
    "[plain]") {
  const JobOutcome job = run_job(host_job(
      {}, {"sh", "-c", "python3 -c 'pass'; exec python3 -c 'import time; time.sleep(0.5)'"}));
  const Trace trace = trace_of(job);
  CHECK(holds(trace.process.command_line, "time.sleep"));
  CHECK(job.reports.size() == 1);
}

TEST_CASE("a job that becomes another program after a while leaves a recording of each") {
  const JobOutcome job = run_job(host_job({}, {"sh", "-c", "sleep 5.5; exec sleep 0.5"}));
  INFO(job.errors);
  CHECK(job.exit_code == 0);
  REQUIRE(job.traces.size() == 2);
  for (const std::string& path : job.traces) {
    const Result<LoadedDprof> loaded = read_dprof(path);
    REQUIRE(loaded);
    CHECK_FALSE(loaded.value().trace.samples.empty());
  }
  CHECK(holds(job.errors, "the job has become another program"));
}

TEST_CASE("the exit code and what the job prints are its own, and a kill leaves what was written",
          "[plain]") {
  const JobOutcome job =
      run_job(host_job({}, {"python3", "-c", "import sys; print('x'); sys.exit(7)"}));
  CHECK(job.exit_code == 7);
  CHECK(job.output == "x\n");
  const JobOutcome killed = run_job(
      host_job({}, {"python3", "-c", "import os, time; time.sleep(3); os.kill(os.getpid(), 9)"}));
  CHECK(killed.signal == 9);
  REQUIRE(killed.traces.size() == 1);
  const Result<LoadedDprof> loaded = read_dprof(killed.traces[0]);
  REQUIRE(loaded);
  CHECK_FALSE(loaded.value().trace.samples.empty());
}

}  // namespace deepprof::test
