// A job may start, fork and end as it likes: it ends as it would have without us, and what CUPTI
// had returned is in the trace.
#include <signal.h>

#include <set>

#include "test/end_to_end/account.h"
#include "test/end_to_end/jobs.h"
#include "test/support/catch.h"

using namespace deepprof;
using namespace deepprof::test;

TEST_CASE("a job that ends by itself leaves a whole trace and a report") {
  for (const char* way : {"normal", "exit", "thread"}) {
    for (const char* driver_handler : {"after", "before", "context", "none"}) {
      INFO(way << ", driver's exit handler " << driver_handler);
      JobSpec spec = injected();
      spec.arguments = {"--exit", way, "--code", "3"};
      spec.environment["FAKE_CUDA_ATEXIT"] = driver_handler;
      const JobOutcome job = run_job(spec);
      INFO(job.errors);
      REQUIRE_FALSE(job.hung);
      CHECK(job.exit_code == 3);
      CHECK(job.output == "fake_host: launched everything\n");
      CHECK(job.reports.size() == 1);
      const LoadedDprof loaded = only_trace(job);
      CHECK(loaded.notes.empty());
      CHECK(imbalance(job, loaded.trace).empty());
      CHECK(total(job.account->delivered) == total(job.account->submitted));
      CHECK(job.seconds < longest_run_s());
    }
  }
}

TEST_CASE("a job that launches while it ends is neither delayed nor broken") {
  JobSpec spec = injected();
  spec.arguments = {"--exit", "launching", "--code", "4"};
  const JobOutcome job = run_job(spec);
  INFO(job.errors);
  REQUIRE_FALSE(job.hung);
  CHECK(job.exit_code == 4);
  CHECK(events_in(only_trace(job).trace) > 10'000);
  CHECK(job.seconds < longest_run_s());
}

// `--speed recorded` spreads the job over 1.6 s, so that all but the last moments were returned by
// flushes.
TEST_CASE(
    "a job that ends without exit handlers leaves a readable trace of all but its last moments") {
  struct End {
    const char* way;
    int exit_code, signal;
  };
  for (const End& end :
       {End{"_exit", 5, 0}, End{"quick_exit", 5, 0}, End{"abort", -1, SIGABRT},
        End{"exception", -1, SIGABRT}, End{"sigterm", -1, SIGTERM}, End{"sigint", -1, SIGINT},
        End{"sighup", -1, SIGHUP}, End{"sigquit", -1, SIGQUIT}, End{"sigkill", -1, SIGKILL},
        End{"sigsegv", -1, SIGSEGV}}) {
    INFO(end.way);
    JobSpec spec = injected();
    spec.arguments = {"--speed", "recorded", "--exit", end.way, "--code", "5"};
    const JobOutcome job = run_job(spec);
    REQUIRE_FALSE(job.hung);
    CHECK(job.exit_code == end.exit_code);
    CHECK(job.signal == end.signal);
    CHECK(job.output == "fake_host: launched everything\n");
    const LoadedDprof loaded = only_trace(job);
    CHECK(events_in(loaded.trace) >= delivered_before(*job.account, kLastMoments_ns));
    CHECK(events_in(loaded.trace) > 0);
    CHECK(events_in(loaded.trace) <= total(job.account->delivered));
  }
}

TEST_CASE("a child of the job stays silent and writes nothing, and the job's trace is whole") {
  for (const char* what :
       {"fork-exit", "fork-_exit", "fork-launch", "fork-storm", "daemon", "spawn"}) {
    INFO(what);
    JobSpec spec = injected();
    spec.arguments = {"--process", what};
    const JobOutcome job = run_job(spec);
    require_unharmed(job);
    CHECK(job.reports.size() == 1);
    const LoadedDprof loaded = only_trace(job);
    CHECK(loaded.notes.empty());
    CHECK(imbalance(job, loaded.trace).empty());
    CHECK(total(job.account->delivered) == total(job.account->submitted));
    CHECK(job.account->calls_after_fork == 0);
  }
}

TEST_CASE("a job that replaces itself by another program leaves what it had") {
  JobSpec spec = injected();
  spec.arguments = {"--speed", "recorded", "--process", "exec"};
  const JobOutcome job = run_job(spec);
  CHECK(job.exit_code == 0);
  CHECK(job.output.empty());
  CHECK(events_in(only_trace(job).trace) >= delivered_before(*job.account, kLastMoments_ns));
}

TEST_CASE("in a tree of processes only those that use CUDA speak") {
  JobSpec spec = injected();
  spec.command = {"/bin/bash", "-c", "bash -c true; sleep 0; \"$0\" \"$1\"; ls / >/dev/null",
                  fake_dir() + "/fake_host", small_job()};
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  CHECK(job.traces.size() == 1);
  CHECK(job.reports.size() == 1);
}

TEST_CASE(
    "by default every kernel comes with the call that launched it, whatever compiled the launch") {
  for (const std::string cupti : {"11.8", "12.9", "13.0", "13.4"}) {
    CAPTURE(cupti);
    JobSpec spec = injected(cupti);
    spec.environment.erase("DEEPPROF_API");
    const JobOutcome job = run_job(spec);
    require_unharmed(job);
    const LoadedDprof loaded = only_trace(job);
    std::set<uint32_t> called;
    for (const HostCall& call : loaded.trace.calls) called.insert(call.correlation);
    size_t launched = 0;
    for (const Op& op : loaded.trace.ops) launched += called.count(op.correlation);
    CHECK(launched == loaded.trace.ops.size());
    CHECK(job.account->api_misuse == 0);
  }
}

TEST_CASE("threads have the kernel's numbers, though CUPTI names them by pthread_self()") {
  for (const std::string cupti : {"12.9", "13.0"}) {
    CAPTURE(cupti);
    JobSpec spec = injected(cupti);
    spec.environment["FAKE_CUPTI_OWN_THREADS"] = "1";
    spec.arguments = {"--rate", "5000"};
    const JobOutcome job = run_job(spec);
    require_unharmed(job);
    const LoadedDprof loaded = only_trace(job);
    const uint32_t pid = loaded.trace.process.pid;
    REQUIRE_FALSE(loaded.trace.threads.empty());
    for (const Thread& thread : loaded.trace.threads) {
      CHECK(thread.pid == pid);
      // in the order of their birth; the low half of an address is far beyond
      CHECK(thread.tid >= pid);
      CHECK(thread.tid < pid + 100'000);
    }
    const auto sampled = [&](const Sample& sample) {
      return loaded.trace.names[sample.metric] == "thread_cpu_ratio";
    };
    CHECK(std::any_of(loaded.trace.samples.begin(), loaded.trace.samples.end(), sampled));
  }
}

TEST_CASE("a process that only counts the GPUs leaves no report and no file") {
  for (const std::string cupti : {"11.8", "13.0"}) {
    CAPTURE(cupti);
    JobSpec spec = injected(cupti);
    spec.environment.erase("DEEPPROF_API");
    spec.arguments = {"--repeat", "0"};
    const JobOutcome job = run_job(spec);
    require_unharmed(job);
    CHECK(job.traces.empty());
    CHECK(job.reports.empty());
    CHECK(std::count(job.errors.begin(), job.errors.end(), '\n') <= 1);
  }
}

TEST_CASE("CUPTI is left alone while the job's cuInit is under way") {
  JobSpec spec = injected();
  spec.environment["FAKE_CUDA_INIT_MS"] = "900";
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  CHECK(job.account->calls_during_init == 0);
  CHECK(imbalance(job, only_trace(job).trace).empty());
}

TEST_CASE("preloaded instead of injected, the library comes in by the driver all the same") {
  JobSpec spec = injected();
  spec.library.clear();
  spec.environment["LD_PRELOAD"] = injected_library();
  spec.command = {"/bin/bash", "-c", "true; \"$0\" \"$1\"", fake_dir() + "/fake_host", small_job()};
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  const LoadedDprof loaded = only_trace(job);
  CHECK(imbalance(job, loaded.trace).empty());
  CHECK(total(job.account->delivered) == total(job.account->submitted));
}

TEST_CASE("switched off, the library leaves no trace of itself") {
  JobSpec spec = injected();
  spec.environment["DEEPPROF_DISABLE"] = "1";
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  CHECK(job.errors.empty());
  CHECK(job.traces.empty());
  CHECK(job.reports.empty());
}
