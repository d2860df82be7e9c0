// SIGKILL at any moment: the file on disk reads, and lacks at most what CUPTI returned in the last
// moments.
#include <signal.h>

#include "test/end_to_end/account.h"
#include "test/end_to_end/jobs.h"
#include "test/support/catch.h"

using namespace deepprof;
using namespace deepprof::test;

TEST_CASE("a killed job's trace holds all that CUPTI had returned but for the last moments") {
  for (const uint64_t records : {75'000, 100'000, 130'000}) {
    INFO("killed after " << records << " records");
    JobSpec spec = injected();
    spec.arguments = {"--rate", "50000", "--seconds", "60", "--clock", "now"};
    spec.kill_after_records = records;
    const JobOutcome job = run_job(spec);
    REQUIRE(job.signal == SIGKILL);
    REQUIRE(job.output.empty());
    const LoadedDprof loaded = only_trace(job);
    INFO(total(job.account->delivered)
         << " delivered, " << events_in(loaded.trace) << " in the trace");
    CHECK(events_in(loaded.trace) >= delivered_before(*job.account, kLastMoments_ns));
    CHECK(events_in(loaded.trace) <= total(job.account->delivered));
    CHECK(events_in(loaded.trace) > 5'000);
  }
}
