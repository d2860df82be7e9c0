// Others in the same process: another user of CUPTI that takes it over, debuggers that hold it, two copies of
// libcupti, and libraries that come and go.
#include <dlfcn.h>

#include "test/end_to_end/account.h"
#include "test/end_to_end/jobs.h"
#include "test/support/catch.h"

using namespace deepprof;
using namespace deepprof::test;

TEST_CASE("where several subscribers may live together, another tool takes nothing away") {
  JobSpec spec = injected("13.4");
  spec.arguments = {"--rate", "20000", "--seconds", "2", "--other-tool", "0.2,0.6"};
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  const LoadedDprof loaded = only_trace(job);
  CHECK(loaded.trace.losses[Loss::takeover] == 0);
  CHECK(imbalance(job, loaded.trace).empty());
  CHECK(total(job.account->delivered) == total(job.account->submitted));
}

TEST_CASE("a profiler of NVIDIA's that holds the process makes the library stand down in one line") {
  JobSpec spec = injected();
  spec.environment["NSYS_PROFILING_SESSION_ID"] = "1";
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  INFO(job.errors);
  CHECK(job.traces.empty());
  CHECK(job.errors.find("standing down") != std::string::npos);
  CHECK(std::count(job.errors.begin(), job.errors.end(), '\n') == 1);
}

TEST_CASE("of two copies of libcupti in a process the one that the job has mapped is used") {
  JobSpec spec = injected("");
  spec.environment["LD_PRELOAD"] = fake_cupti("12.9") + ":" + fake_cupti("13.0");
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  const LoadedDprof loaded = only_trace(job);
  CHECK(imbalance(job, loaded.trace).empty());
}

TEST_CASE("an idle job is no takeover") {
  JobSpec spec = injected();
  spec.arguments = {"--rate", "300", "--seconds", "6", "--clock", "now"};
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  const LoadedDprof loaded = only_trace(job);
  CHECK(loaded.trace.losses[Loss::takeover] == 0);
  CHECK(imbalance(job, loaded.trace).empty());
}
