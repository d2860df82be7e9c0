// SIGKILL at any moment: the file on disk reads, and lacks at most what CUPTI returned in the last moments.
#include <signal.h>

#include <algorithm>

#include "test/end_to_end/account.h"
#include "test/end_to_end/jobs.h"
#include "test/support/catch.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

// What CUPTI had delivered so long before its last delivery.
uint64_t delivered_before(const fake::Account& account, int64_t age_ns) {
  const uint64_t length = account.history_length;
  REQUIRE(length > 0);
  const auto moment = [&](uint64_t i) -> const auto& { return account.history[i % fake::Account::kHistory]; };
  const int64_t last = moment(length - 1).monotonic_ns;
  uint64_t delivered = 0;
  for (uint64_t i = length > fake::Account::kHistory ? length - fake::Account::kHistory : 0; i < length; ++i) {
    if (moment(i).monotonic_ns <= last - age_ns) delivered = std::max<uint64_t>(delivered, moment(i).delivered);
  }
  return delivered;
}

}  // namespace

TEST_CASE("a killed job's trace holds all that CUPTI had returned but for the last moments") {
  constexpr int64_t kLastMoments_ns = 400'000'000;  // flush and write interval (100 ms each), and a busy machine
  for (const double after_s : {0.7, 1.1, 1.6}) {
    INFO("killed after " << after_s << " s");
    JobSpec spec = injected();
    spec.arguments = {"--rate", "50000", "--seconds", "60", "--clock", "now"};
    spec.kill_after_s = after_s;
    const JobOutcome job = run_job(spec);
    REQUIRE(job.signal == SIGKILL);
    REQUIRE(job.output.empty());
    const LoadedDprof loaded = only_trace(job);
    INFO(total(job.account->delivered) << " delivered, " << events_in(loaded.trace) << " in the trace");
    CHECK(events_in(loaded.trace) >= delivered_before(*job.account, kLastMoments_ns));
    CHECK(events_in(loaded.trace) <= total(job.account->delivered));
    CHECK(events_in(loaded.trace) > 5'000);
  }
}
