// Long and fast: nothing is lost without being counted, and memory stays bounded. The short runs
// are for every day; DEEPPROF_SOAK_SECONDS makes them long (the target `soak`: ten minutes each),
// DEEPPROF_SOAK_SEED moves the faults.
#include <cstdio>
#include <cstdlib>

#include "test/end_to_end/account.h"
#include "test/end_to_end/jobs.h"
#include "test/support/catch.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

std::string variable(const char* name, const char* otherwise) {
  const char* value = getenv(name);
  return value && *value ? value : otherwise;
}
std::string soak_seconds() { return variable("DEEPPROF_SOAK_SECONDS", "2"); }
std::string fault_seconds() { return variable("DEEPPROF_SOAK_SECONDS", "60"); }
std::string seed() { return variable("DEEPPROF_SOAK_SEED", "1"); }

JobSpec soak(const char* records_per_second, const std::string& seconds = soak_seconds()) {
  JobSpec spec = injected();
  spec.arguments = {"--rate", records_per_second, "--seconds", seconds};
  spec.give_up_after_s = atof(seconds.c_str()) + 60;
  return spec;
}

// For a long run by hand: what its figures in docs/reliability.md are taken from.
void print_account(const JobOutcome& job, const Trace& trace) {
  std::printf(
      "%llu records delivered in %.0f s, peak %ld MiB: %llu in the trace",
      static_cast<unsigned long long>(total(job.account->delivered) + job.account->truncated),
      job.seconds, job.peak_rss_kib / 1024, static_cast<unsigned long long>(events_in(trace)));
  for (const LossInfo& info : losses()) {
    if (trace.losses[info.loss] == 0) continue;
    std::printf(", %llu %s", static_cast<unsigned long long>(trace.losses[info.loss]),
                info.name.data());
  }
  std::printf("\n");
}

void check_exact(const JobOutcome& job) {
  const LoadedDprof loaded = only_trace(job);
  INFO(job.errors);
  const std::string difference = imbalance(job, loaded.trace);
  if (!difference.empty()) FAIL_CHECK(difference);
  INFO(total(job.account->delivered)
       << " records in " << job.seconds << " s, peak " << job.peak_rss_kib / 1024
       << " MiB, ring full " << loaded.trace.losses[Loss::ring_full]);
  if (getenv("DEEPPROF_SOAK_SECONDS")) print_account(job, loaded.trace);
}

void check_on_time(const JobOutcome& job) {
  CHECK(job.seconds < atof(soak_seconds().c_str()) + longest_run_s());
}

}  // namespace

TEST_CASE("24,000 records a second arrive to the last one") {
  const JobOutcome job = run_job(soak("24000"));
  require_unharmed(job);
  check_exact(job);
  check_on_time(job);
  CHECK(total(job.account->delivered) == total(job.account->submitted));
  CHECK(only_trace(job).trace.losses[Loss::ring_full] == 0);
}

TEST_CASE("500,000 records a second are written or counted, in bounded memory", "[plain]") {
  const JobOutcome job = run_job(soak("500000"));
  require_unharmed(job);
  check_exact(job);
  check_on_time(job);
  CHECK(job.peak_rss_kib < 400 * 1024);
}

TEST_CASE("memory does not grow with the length of the run", "[plain]") {
  const auto peak_kib = [](const char* seconds) {
    JobSpec spec = soak("500000", seconds);
    spec.environment["DEEPPROF_REPORT"] = "0";  // the summary reads the trace back
    const JobOutcome job = run_job(spec);
    require_unharmed(job);
    return job.peak_rss_kib;
  };
  // Five bytes a record that stay would be 20 MiB.
  const long begun = peak_kib("4"), gone_on = peak_kib("12");
  CAPTURE(begun, gone_on);
  CHECK(gone_on - begun < 20 * 1024);
}

// Every fault that a machine and CUPTI can have, at moments that the seed decides.
TEST_CASE("faults at random moments at 200,000 records a second end with an exact account") {
  JobSpec spec = soak("200000", fault_seconds());
  spec.environment["LD_PRELOAD"] = fake_dir() + "/libfaulty_host.so";
  spec.environment["FAULTY_HOST"] =
      "seed=" + seed() + ",eintr=7,short=5,slow_ms=700,slow=150,full=40,malloc=300";
  spec.environment["FAKE_CUPTI_BAD_TIMES"] = "1000";
  spec.environment["FAKE_CUPTI_UNKNOWN"] = "1000";
  spec.environment["FAKE_CUPTI_TRUNCATE"] = "10";
  spec.environment["FAKE_CUPTI_ORDER"] = "reverse";
  spec.arguments.insert(spec.arguments.end(), {"--process", "fork-storms"});
  INFO("seed " << seed());
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  CHECK(job.errors.find("No space left") == job.errors.rfind("No space left"));
  check_exact(job);
  CHECK(only_trace(job).trace.losses[Loss::write_failed] > 0);
  CHECK(job.account->calls_after_fork == 0);
}
