// DEEPPROF_MEMORY=1: what a stand-in job allocates and gives back, through every CUPTI's records.
#include <algorithm>
#include <map>

#include "libdeepprof/event/allocation_events.h"
#include "libdeepprof/trace/allocation_ledger.h"
#include "test/end_to_end/account.h"
#include "test/end_to_end/jobs.h"
#include "test/fake/workload/resnet.h"
#include "test/support/catch.h"

namespace deepprof::test {
namespace {

constexpr uint64_t kLeak_bytes = 20'000'000;
constexpr uint32_t kIterations = 12;

const recording::Recording& modelled() {
  static const recording::Recording recording = [] {
    fake::ResnetOptions options;
    options.iterations = kIterations;
    options.allocations = true;
    options.leak_bytes = kLeak_bytes;
    return fake::model_resnet(options).recording;
  }();
  return recording;
}

JobSpec job_of(const std::string& cupti, std::map<std::string, std::string> environment = {},
               std::vector<std::string> arguments = {}) {
  static const std::string path = [] {
    std::string file = scratch_folder() + "/allocations.rec";
    REQUIRE(recording::write(file, modelled()).empty());
    return file;
  }();
  JobSpec spec = injected(cupti);
  spec.recording = path;
  spec.arguments = std::move(arguments);
  environment.try_emplace("DEEPPROF_MEMORY", "1");
  spec.environment.merge(environment);
  return spec;
}

JobOutcome record(const std::string& cupti, std::map<std::string, std::string> environment = {},
                  std::vector<std::string> arguments = {}) {
  JobOutcome job = run_job(job_of(cupti, std::move(environment), std::move(arguments)));
  require_unharmed(job);
  return job;
}

JobOutcome record_on_bad_machine(const std::string& faults) {
  return record("13.0",
                {{"LD_PRELOAD", fake_dir() + "/libfaulty_host.so"}, {"FAULTY_HOST", faults}},
                {"--repeat", "8", "--rate", "100000"});
}

// Is what is in use after each step that of the step before, and the step?
bool adds_up(const Trace& trace) {
  struct InUse {
    uint64_t bytes = 0;
    std::map<uint64_t, uint64_t> at;  // by address
  };
  std::map<std::pair<uint32_t, AllocationKind>, InUse> all;
  for (const Allocation& step : trace.allocations) {
    InUse& in_use = all[{step.device, step.kind}];
    uint64_t& bytes = in_use.at[step.address];
    in_use.bytes -= bytes;
    bytes = step.step == AllocationStep::allocate ? step.bytes : 0;
    in_use.bytes += bytes;
    if (in_use.bytes != step.in_use_bytes) return false;
  }
  return !trace.allocations.empty();
}

uint64_t in_use_at_the_end() {
  uint64_t bytes = 0;
  for (const recording::Allocation& a : modelled().allocations) {
    if (a.memory_kind == 3) bytes += a.operation == 1 ? a.bytes : -a.bytes;
  }
  return bytes;
}

AllocationLedger::Totals totals_of(const Trace& trace) {
  const auto totals =
      AllocationLedger::decode(trace.blobs.at(std::string(AllocationLedger::kBlobKey)));
  REQUIRE(totals);
  return *totals;
}

}  // namespace

TEST_CASE("every allocation arrives, of every CUPTI, and the totals are those of the job") {
  uint64_t in_use = 0, peak = 0;
  for (const recording::Allocation& a : modelled().allocations) {
    if (a.memory_kind != 3) continue;
    in_use += a.operation == 1 ? a.bytes : -a.bytes;
    peak = std::max(peak, in_use);
  }
  for (const char* version : kFakeCuptiVersions) {
    CAPTURE(version);
    const JobOutcome job = record(version);
    const LoadedDprof loaded = only_trace(job);
    CHECK(imbalance(job, loaded.trace) == "");
    REQUIRE(loaded.trace.allocations.size() == modelled().allocations.size());
    CHECK(loaded.trace.allocations.front().bytes == modelled().allocations.front().bytes);
    const AllocationLedger::Totals totals = totals_of(loaded.trace);
    const AllocationTotals& device = totals.at({0, AllocationKind::device});
    CHECK(device.in_use_bytes == in_use);
    CHECK(device.peak_bytes == peak);
    CHECK(device.unmatched == 0);
    CHECK(device.largest_at_peak.front().bytes == uint64_t{512} << 20);
    CHECK(totals.at({Allocation::kHost, AllocationKind::pinned}).allocations == 2);
  }
}

TEST_CASE("without DEEPPROF_MEMORY nothing of it is recorded") {
  const LoadedDprof loaded = only_trace(record("13.0", {{"DEEPPROF_MEMORY", "0"}}));
  CHECK(loaded.trace.allocations.empty());
  CHECK(loaded.trace.blobs.count(std::string(AllocationLedger::kBlobKey)) == 0);
}

TEST_CASE("a CUPTI that refuses memory records costs those alone, and the trace says so") {
  const JobOutcome job = record("13.0", {{"FAKE_CUPTI_FAIL", "cuptiActivityEnable:49=21"}});
  const LoadedDprof loaded = only_trace(job);
  CHECK(loaded.trace.allocations.empty());
  CHECK_FALSE(loaded.trace.ops.empty());
  const auto& facts = loaded.trace.process.facts;
  CHECK(std::any_of(facts.begin(), facts.end(),
                    [](const auto& fact) { return fact.first == "refused.allocation"; }));
}

TEST_CASE("steps let go for the file's ceiling leave the totals and what is in use as they are") {
  const std::vector<std::string> often{"--repeat", "30", "--rate", "150000"};
  const LoadedDprof whole =
      only_trace(record("13.0", {{"DEEPPROF_MAX_FILE", "0"}, {"DEEPPROF_FLUSH_MS", "50"}}, often));
  const LoadedDprof cut =
      only_trace(record("13.0", {{"DEEPPROF_MAX_FILE", "1M"}, {"DEEPPROF_FLUSH_MS", "50"}}, often));
  REQUIRE(cut.trace.losses[Loss::segment_evicted] > 0);
  REQUIRE(cut.trace.allocations.size() < whole.trace.allocations.size());
  REQUIRE_FALSE(cut.trace.allocations.empty());
  const AllocationTotals all = totals_of(whole.trace).at({0, AllocationKind::device}),
                         left = totals_of(cut.trace).at({0, AllocationKind::device});
  CHECK(left.allocations == all.allocations);
  CHECK(left.peak_bytes == all.peak_bytes);
  CHECK(left.in_use_bytes == all.in_use_bytes);
  const auto last =
      std::find_if(cut.trace.allocations.rbegin(), cut.trace.allocations.rend(),
                   [](const Allocation& step) { return step.kind == AllocationKind::device; });
  REQUIRE(last != cut.trace.allocations.rend());
  CHECK(last->in_use_bytes == all.in_use_bytes);
}

TEST_CASE("a killed job leaves steps that add up, all but those of the last flushes") {
  JobSpec spec = job_of("13.0", {}, {"--repeat", "200", "--rate", "50000"});
  spec.kill_after_records = 60'000;
  const JobOutcome job = run_job(spec);
  REQUIRE(job.signal == 9);
  const LoadedDprof loaded = only_trace(job);
  CHECK(adds_up(loaded.trace));
  // CUPTI's flush, the recorder's wait for the one after it, the file's. What the kill met between
  // a delivery and its account is written and not delivered.
  const auto kept = static_cast<uint64_t>(
      std::count_if(loaded.trace.allocations.begin(), loaded.trace.allocations.end(),
                    [](const Allocation& step) { return is_event(step); }));
  CHECK(kept <= job.account->written[fake::kMemory2Kind]);
  CHECK(kept > job.account->delivered[fake::kMemory2Kind] / 3);
  CHECK(totals_of(loaded.trace).at({0, AllocationKind::device}).in_use_bytes > 0);
}

TEST_CASE("memory records on a bad machine are counted like all others, and the job goes on") {
  for (const char* faults : {"eintr=3,short=2", "full=25"}) {
    CAPTURE(faults);
    const JobOutcome job = record_on_bad_machine(faults);
    const LoadedDprof loaded = only_trace(job);
    CAPTURE(job.errors);
    const bool is_full_at_times = faults == std::string("full=25");
    CHECK((loaded.trace.losses[Loss::write_failed] > 0) == is_full_at_times);
    CHECK(imbalance(job, loaded.trace) == "");
  }
}

// Such a disk has no room for the count of what it lacks.
TEST_CASE("memory records that a full disk does not take are missing with a notice") {
  const JobOutcome job = record_on_bad_machine("enospc=60000");
  const LoadedDprof loaded = only_trace(job);
  CHECK(job.errors.find("No space left on device") != std::string::npos);
  CHECK(events_in(loaded.trace) < total(job.account->delivered));
}

namespace {

// DEEPPROF_DELAY counts from the driver's start: where the job was held up, its whole run or
// nothing lies in the window.
LoadedDprof record_part(const std::map<std::string, std::string>& window) {
  const size_t all = modelled().allocations.size();
  for (int attempts = 1;; ++attempts) {
    LoadedDprof part =
        only_trace(record("13.0", window, {"--speed", "recorded", "--clock", "now"}));
    const size_t steps = part.trace.allocations.size();
    if (attempts == 5 || (steps > 0 && steps < all)) return part;
  }
}

}  // namespace

TEST_CASE("a part of the run has its own steps, on top of what was in use when it began") {
  const LoadedDprof late = record_part({{"DEEPPROF_DELAY", "300ms"}});
  const size_t all = modelled().allocations.size();
  REQUIRE_FALSE(late.trace.allocations.empty());
  CHECK(late.trace.allocations.size() < all);
  const AllocationTotals after = totals_of(late.trace).at({0, AllocationKind::device});
  CHECK(after.in_use_bytes == in_use_at_the_end());
  CHECK(after.peak_bytes >= after.in_use_bytes);
  CHECK(after.allocations < all);
  CHECK(after.unmatched == 0);
  const Allocation& first = late.trace.allocations.front();
  CHECK(first.in_use_bytes > first.bytes);  // the weights were allocated before

  const LoadedDprof middle =
      record_part({{"DEEPPROF_DELAY", "300ms"}, {"DEEPPROF_DURATION", "100ms"}});
  REQUIRE_FALSE(middle.trace.allocations.empty());
  CHECK(middle.trace.allocations.size() < late.trace.allocations.size());
  CHECK(middle.trace.allocations.back().time_ns - middle.trace.allocations.front().time_ns <
        100'000'000);
  const auto last =
      std::find_if(middle.trace.allocations.rbegin(), middle.trace.allocations.rend(),
                   [](const Allocation& step) { return step.kind == AllocationKind::device; });
  REQUIRE(last != middle.trace.allocations.rend());
  CHECK(totals_of(middle.trace).at({0, AllocationKind::device}).in_use_bytes == last->in_use_bytes);
}

}  // namespace deepprof::test
