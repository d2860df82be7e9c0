// Long and fast: nothing is lost without being counted, and memory stays bounded. The short runs are for every
// day; DEEPPROF_SOAK_SECONDS=600 makes them long.
#include <cstdlib>

#include "test/end_to_end/account.h"
#include "test/end_to_end/jobs.h"
#include "test/support/catch.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

std::string soak_seconds() {
  const char* wanted = getenv("DEEPPROF_SOAK_SECONDS");
  return wanted && *wanted ? wanted : "2";
}

JobSpec soak(const char* records_per_second) {
  JobSpec spec = injected();
  spec.arguments = {"--rate", records_per_second, "--seconds", soak_seconds()};
  spec.give_up_after_s = atof(soak_seconds().c_str()) + 60;
  return spec;
}

void check_exact(const JobOutcome& job) {
  const LoadedDprof loaded = only_trace(job);
  INFO(job.errors);
  const std::string difference = imbalance(job, loaded.trace);
  if (!difference.empty()) FAIL_CHECK(difference);
  INFO(total(job.account->delivered) << " records in " << job.seconds << " s, peak " << job.peak_rss_kib / 1024
                                     << " MiB, ring full " << loaded.trace.losses[Loss::ring_full]);
}

void check_on_time(const JobOutcome& job) { CHECK(job.seconds < atof(soak_seconds().c_str()) + longest_run_s()); }

}  // namespace

TEST_CASE("24,000 records a second arrive to the last one") {
  const JobOutcome job = run_job(soak("24000"));
  require_unharmed(job);
  check_exact(job);
  check_on_time(job);
  CHECK(total(job.account->delivered) == total(job.account->submitted));
  CHECK(only_trace(job).trace.losses[Loss::ring_full] == 0);
}

TEST_CASE("500,000 records a second are written or counted, in bounded memory") {
  const JobOutcome job = run_job(soak("500000"));
  require_unharmed(job);
  check_exact(job);
  check_on_time(job);
  CHECK(job.peak_rss_kib < 400 * 1024);
}

TEST_CASE("faults at random moments at 200,000 records a second end with an exact account") {
  JobSpec spec = soak("200000");
  spec.environment["LD_PRELOAD"] = fake_dir() + "/libfaulty_host.so";
  spec.environment["FAULTY_HOST"] = "eintr=7,short=5,slow_ms=900,slow_at=4";
  spec.environment["FAKE_CUPTI_BAD_TIMES"] = "1000";
  spec.environment["FAKE_CUPTI_UNKNOWN"] = "1000";
  spec.environment["FAKE_CUPTI_TRUNCATE"] = "10";
  spec.environment["FAKE_CUPTI_ORDER"] = "reverse";
  spec.arguments.insert(spec.arguments.end(), {"--process", "fork-storm"});
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  check_exact(job);
}
