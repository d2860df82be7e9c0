// Faults of CUPTI, of the driver and of neighbours: the job ends as it would have, on time, with
// its stdout and its signals untouched; the trace is exact about what it lacks.
#include <map>

#include "analysis/export/recording_format.h"
#include "test/end_to_end/account.h"
#include "test/end_to_end/jobs.h"
#include "test/support/catch.h"
#include "test/support/one_line.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

JobOutcome run_with(const std::map<std::string, std::string>& faults,
                    const std::string& cupti = "13.0",
                    const std::vector<std::string>& arguments = {}) {
  JobSpec spec = injected(cupti);
  spec.environment.insert(faults.begin(), faults.end());
  spec.arguments = arguments;
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  CHECK(job.seconds < longest_run_s(arguments) + 1);
  return job;
}

void check_balance(const JobOutcome& job, const Trace& trace) {
  const std::string difference = imbalance(job, trace);
  INFO(job.errors);
  if (!difference.empty()) FAIL_CHECK(difference);
}

}  // namespace

TEST_CASE("a function of CUPTI that fails costs the job nothing") {
  for (const char* version : {"11.8", "13.0", "13.4"}) {
    for (const char* function :
         {"cuptiSubscribe", "cuptiSubscribe_v2", "cuptiActivityRegisterCallbacks",
          "cuptiActivityRegisterCallbacks_v2", "cuptiActivityEnable", "cuptiActivityEnable_v2",
          "cuptiActivityFlushAll", "cuptiActivitySetAttribute",
          "cuptiActivityGetNumDroppedRecords"}) {
      constexpr const char* kErrors[] = {"14", "15", "39", "999"};
      static unsigned next = 0;  // all pairs would take a minute
      const char* error = kErrors[next++ % std::size(kErrors)];
      INFO("CUPTI " << version << ": " << function << " returns " << error);
      run_with({{"FAKE_CUPTI_FAIL", std::string(function) + "=" + error}}, version);
    }
  }
}

TEST_CASE("who lost the race for CUPTI is told what to do about it") {
  for (const char* function : {"cuptiActivityRegisterCallbacks", "cuptiActivityEnable"}) {
    for (const char* error : {"14", "39"}) {
      const JobOutcome job = run_with({{"FAKE_CUPTI_FAIL", std::string(function) + "=" + error}});
      CHECK(job.traces.empty());
      CHECK(one_line(job.errors)
                .find("run the job without that tool, or with it and without "
                      "deepprof") != std::string::npos);
    }
  }
}

TEST_CASE("another subscriber does not stop activity tracing") {
  for (const char* version : kFakeCuptiVersions) {
    INFO(version);
    const JobOutcome job =
        run_with({{"FAKE_CUPTI_FAIL", "cuptiSubscribe=39,cuptiSubscribe_v2=39"}}, version);
    const LoadedDprof loaded = only_trace(job);
    check_balance(job, loaded.trace);
    CHECK(loaded.trace.ops.size() > 4'000);
  }
}

TEST_CASE("a kind that cannot be enabled is left out, named, and the others are recorded") {
  const JobOutcome job =
      run_with({{"FAKE_CUPTI_FAIL", "cuptiActivityEnable:17=14,cuptiActivityEnable:38=999"}});
  const LoadedDprof loaded = only_trace(job);
  check_balance(job, loaded.trace);
  CHECK(loaded.trace.ops.size() > 4'000);
  CHECK(loaded.trace.overheads.empty());
  CHECK(one_line(job.errors).find("no records of overhead (CUPTI_ERROR_NOT_COMPATIBLE (14))") !=
        std::string::npos);
}

TEST_CASE("a CUPTI that cannot say how many records it dropped is not taken to have dropped none") {
  const JobOutcome job = run_with({{"FAKE_CUPTI_FAIL", "cuptiActivityGetNumDroppedRecords=999"}});
  CHECK(job.errors.find("MAYBE INCOMPLETE") != std::string::npos);
  CHECK(job.errors.find("0 dropped") == std::string::npos);
}

TEST_CASE("records with impossible times are counted and left out") {
  for (const char* version : kFakeCuptiVersions) {
    INFO(version);
    const JobOutcome job = run_with({{"FAKE_CUPTI_BAD_TIMES", "37"}}, version);
    const LoadedDprof loaded = only_trace(job);
    CHECK(job.account->bad_times > 100);
    CHECK(loaded.trace.losses[Loss::bad_timestamp] == job.account->bad_times);
    check_balance(job, loaded.trace);
  }
}

TEST_CASE("records of kinds that nobody asked for are counted and skipped") {
  const JobOutcome job = run_with({{"FAKE_CUPTI_UNKNOWN", "10"}});
  const LoadedDprof loaded = only_trace(job);
  CHECK(loaded.trace.losses[Loss::unknown_record] == job.account->unknown);
  check_balance(job, loaded.trace);
}

TEST_CASE("a record of a kind without a size ends its buffer and nothing else") {
  const JobOutcome job = run_with({{"FAKE_CUPTI_ALIEN", "1"}});
  const LoadedDprof loaded = only_trace(job);
  CHECK(job.account->alien > 0);
  CHECK(loaded.trace.losses[Loss::decode_refused] == job.account->alien);
  check_balance(job, loaded.trace);
}

TEST_CASE("a record that is cut by the end of its buffer is counted") {
  const JobOutcome job = run_with({{"FAKE_CUPTI_TRUNCATE", "2"}});
  const LoadedDprof loaded = only_trace(job);
  CHECK(job.account->truncated > 0);
  CHECK(loaded.trace.losses[Loss::truncated_record] == job.account->truncated);
  check_balance(job, loaded.trace);
}

TEST_CASE("buffers that come back in another order make the same trace") {
  for (const char* per_thread : {"0", "1"}) {
    INFO("per-thread buffers " << per_thread);
    const JobOutcome job =
        run_with({{"FAKE_CUPTI_ORDER", "reverse"}, {"FAKE_CUPTI_PER_THREAD", per_thread}});
    const LoadedDprof loaded = only_trace(job);
    check_balance(job, loaded.trace);
    CHECK(total(job.account->delivered) == total(job.account->submitted));
  }
}

TEST_CASE("starved of buffers, capture counts what CUPTI dropped and the job goes on") {
  for (const char* version : {"11.8", "12.9", "13.4"}) {
    INFO(version);
    // No buffer comes back before the end: the pool of 64 MiB runs dry.
    const JobOutcome job = run_with({{"FAKE_CUPTI_WITHHOLD", "1"}}, version, {"--repeat", "50"});
    const LoadedDprof loaded = only_trace(job);
    CHECK(loaded.trace.losses[Loss::no_buffer] > 0);
    // A CUPTI before 12.9 is given a buffer whose records are thrown away: it knows of no drop.
    if (std::string(version) == "11.8") continue;
    CHECK(job.account->dropped > 0);
    // 64 MiB come back at once at the exit. A machine too slow to write them in the time that an
    // exit may take is told so, and its file is not closed; else nothing is missing.
    if (job.errors.find("too slow to close") == std::string::npos) check_balance(job, loaded.trace);
  }
}

TEST_CASE("a flush that blocks delays the end by seconds at most") {
  run_with({{"FAKE_CUPTI_FLUSH_BLOCKS_MS", "300"}});
  run_with({{"FAKE_CUPTI_FLUSH_BLOCKS_MS", "-1"}});
  run_with({{"FAKE_CUPTI_FORCED_BLOCKS_MS", "-1"}});
}

TEST_CASE("work that is still on the GPU at the end is counted, not invented") {
  const JobOutcome job = run_with({}, "13.0", {"--gpu-lag", "60000000", "--no-sync"});
  REQUIRE(job.account->bad_times > 4'000);
  if (job.traces.empty()) return;
  const LoadedDprof loaded = only_trace(job);
  CHECK(loaded.trace.ops.empty());
  CHECK(loaded.trace.losses[Loss::bad_timestamp] == job.account->bad_times);
}

TEST_CASE("buffers that come back while the driver goes are harmless") {
  for (const char* handler : {"after", "before"}) {
    run_with({{"FAKE_CUPTI_EXIT_DELIVERS", "1"}, {"FAKE_CUDA_ATEXIT", handler}});
  }
}

TEST_CASE("a module that is unloaded and its names' addresses reused keep their kernels apart") {
  recording::Recording r;
  r.names = {"", "cudaLaunchKernel", "gemm", "a_kernel_with_a_longer_name"};
  r.threads = {{7, 7, 0}};
  constexpr uint32_t kLaunches = 1000;
  for (uint32_t i = 0; i < kLaunches; ++i) {
    const int64_t at = 1'000'000'000 + i * 10'000;
    r.calls.push_back({at, at + 4000, i + 1, 1, 0, 0});
    recording::Op op{};
    op.start_ns = at + 5000;
    op.end_ns = at + 9000;
    op.correlation = i + 1;
    op.name = 2 + i % 2;
    op.kind = 1;
    r.ops.push_back(op);
  }
  JobSpec spec = injected();
  spec.recording = scratch_folder() + "/reload.rec";
  REQUIRE(recording::write(spec.recording, r).empty());
  spec.arguments = {"--reload-modules", "--repeat", "3"};
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  const LoadedDprof loaded = only_trace(job);
  check_balance(job, loaded.trace);
  std::map<std::string, uint32_t> count;
  for (const Op& op : loaded.trace.ops) ++count[std::string(loaded.trace.names[op.name])];
  const uint32_t half = kLaunches / 2;
  CHECK(count == std::map<std::string, uint32_t>{{"gemm", half},
                                                 {"gemm@1", half},
                                                 {"gemm@2", half},
                                                 {"a_kernel_with_a_longer_name", half},
                                                 {"a_kernel_with_a_longer_name@1", half},
                                                 {"a_kernel_with_a_longer_name@2", half}});
}

TEST_CASE("a job without any libcupti runs unharmed, and one line says so") {
  JobSpec spec = injected();
  spec.environment["DEEPPROF_CUPTI"] = "/nowhere/libcupti.so.13";
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  CHECK(job.traces.empty());
  CHECK(job.errors.find("capture is off: cannot load /nowhere/libcupti.so.13") !=
        std::string::npos);
  CHECK(std::count(job.errors.begin(), job.errors.end(), '\n') == 1);
}

TEST_CASE("an output folder that cannot be written costs the job nothing") {
  for (const char* folder : {"/proc/nowhere", "/dev/null/x", ""}) {
    INFO(folder);
    JobSpec spec = injected();
    spec.environment["DEEPPROF_OUTPUT"] = folder;
    spec.environment["DEEPPROF_REPORT"] = "0";
    require_unharmed(run_job(spec));
  }
}
