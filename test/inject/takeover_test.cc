// Another user of CUPTI in the job's process, as torch.profiler is one: it replaces the buffer
// callbacks when it starts and disables the kinds when it stops.
#include <cstdlib>

#include "analysis/model/facts.h"
#include "test/end_to_end/account.h"
#include "test/end_to_end/jobs.h"
#include "test/support/catch.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

// A job of some eight seconds; another tool works during its second one.
JobSpec job_with_another_tool(const std::string& cupti) {
  JobSpec spec = injected(cupti);
  spec.arguments = {"--rate",  "2000", "--seconds",    "8",
                    "--clock", "now",  "--other-tool", "0.125,0.25"};
  return spec;
}

// The other tool is torch.profiler, which shows when it is done.
JobSpec pytorch_job(const std::string& cupti, const char* from_to) {
  JobSpec spec = job_with_another_tool(cupti);
  spec.arguments.back() = from_to;
  spec.environment["LD_PRELOAD"] = fake_dir() + "/torch/libtorch_cpu.so";
  return spec;
}

double longest_spell_s(const Trace& trace) {
  double longest = 0;
  for (const auto& [name, value] : trace.process.facts) {
    if (name.rfind("takeover.", 0) != 0) continue;
    char* end = nullptr;
    const long long from = std::strtoll(value.c_str(), &end, 10);
    longest = std::max(longest, static_cast<double>(std::strtoll(end, nullptr, 10) - from) / 1e9);
  }
  return longest;
}

// The share of the job's kernels that the trace holds.
double share_of_kernels(const JobOutcome& job, const Trace& trace) {
  double kernels = 0;
  for (const Op& op : trace.ops) kernels += op.kind == Kind::kernel;
  return kernels / static_cast<double>(job.account->submitted[fake::kConcurrentKernelKind]);
}

}  // namespace

TEST_CASE("a takeover is told, counted and dated, and records come again after it") {
  JobSpec spec = job_with_another_tool("13.0");
  spec.environment["DEEPPROF_REARM_S"] = "1";
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  CHECK(job.errors.find("another user of CUPTI") != std::string::npos);
  const LoadedDprof loaded = only_trace(job);
  CHECK(loaded.trace.losses[Loss::takeover] >= 1);
  CHECK(share_of_kernels(job, loaded.trace) > 0.4);
  const std::string spell = fact_or_empty(loaded.trace, "takeover.1");
  char* end = nullptr;
  const long long from = std::strtoll(spell.c_str(), &end, 10), to = std::strtoll(end, nullptr, 10);
  CHECK(to - from > 1'000'000'000);
  CHECK(to - from < 6'000'000'000);
}

TEST_CASE("a job that ends before the takeover is noticed is told what took its records") {
  JobSpec spec = pytorch_job("12.9", "0.05,0.9");
  spec.arguments[1] = "1000";
  spec.arguments[3] = "1";
  const JobOutcome job = run_job(spec);
  INFO(job.errors);
  CHECK(job.exit_code == 0);
  // A first record may have been fetched before.
  CHECK(job.traces.size() <= 1);
  CHECK(job.errors.find("another user of CUPTI") != std::string::npos);
}

TEST_CASE("a takeover shortly before the job's end is told, as is what it took") {
  for (const std::string cupti : {"12.9", "13.0"}) {
    JobSpec spec = job_with_another_tool(cupti);
    spec.arguments = {"--rate",  "2000", "--seconds",    "3",
                      "--clock", "now",  "--other-tool", "0.9,1"};
    const JobOutcome job = run_job(spec);
    CAPTURE(cupti);
    INFO(job.errors);
    CHECK(job.exit_code == 0);
    CHECK(job.errors.find("another user of CUPTI") != std::string::npos);
    // Where all threads share a buffer, that it never came back is all that shows so soon.
    if (cupti == "12.9") continue;
    const LoadedDprof loaded = only_trace(job);
    CHECK(loaded.trace.losses[Loss::takeover] == 1);
    CHECK(longest_spell_s(loaded.trace) > 0.1);
    CHECK(longest_spell_s(loaded.trace) < 1.5);
  }
}

TEST_CASE(
    "records after a takeover are on the clock of those before it, though the other tool's clock "
    "stays") {
  for (const std::string cupti : {"11.8", "13.0"}) {
    CAPTURE(cupti);
    JobSpec spec = job_with_another_tool(cupti);
    spec.environment["DEEPPROF_REARM_S"] = "1";
    const JobOutcome job = run_job(spec);
    require_unharmed(job);
    const LoadedDprof loaded = only_trace(job);
    CHECK(share_of_kernels(job, loaded.trace) > 0.4);
    int64_t first = INT64_MAX, last = 0;
    for (const Op& op : loaded.trace.ops) {
      first = std::min(first, op.start_ns);
      last = std::max(last, op.end_ns());
    }
    CHECK(last - first < 60'000'000'000);
    for (const Sample& sample : loaded.trace.samples)
      CHECK(std::llabs(sample.time_ns - first) < 60'000'000'000);
  }
}

TEST_CASE("a session of torch.profiler ends a spell when it is over, be it long or short") {
  for (const std::string cupti : {"13.0", "13.4"}) {
    for (const char* from_to : {"0.125,0.5", "0.25,0.26"}) {
      CAPTURE(cupti, from_to);
      const JobOutcome job = run_job(pytorch_job(cupti, from_to));
      require_unharmed(job);
      INFO(job.errors);
      const LoadedDprof loaded = only_trace(job);
      CHECK(loaded.trace.losses[Loss::takeover] == 1);
      const bool is_long = from_to[2] == '1';
      CHECK(share_of_kernels(job, loaded.trace) > (is_long ? 0.55 : 0.9));
      CHECK(longest_spell_s(loaded.trace) < (is_long ? 4.0 : 1.5));
      CHECK(job.account->api_misuse == 0);
    }
  }
}

TEST_CASE("a CUPTI that refuses to be taken back is asked again") {
  // The other tool's own registration is the second of callbacks, the first of clocks.
  for (const char* refused : {"cuptiActivityRegisterCallbacks@3-4=999",
                              "cuptiActivityRegisterTimestampCallback@2-3=999"}) {
    CAPTURE(refused);
    JobSpec spec = pytorch_job("13.0", "0.125,0.25");
    spec.environment["FAKE_CUPTI_FAIL"] = refused;
    const JobOutcome job = run_job(spec);
    require_unharmed(job);
    INFO(job.errors);
    const LoadedDprof loaded = only_trace(job);
    CHECK(loaded.trace.losses[Loss::takeover] == 1);
    CHECK(longest_spell_s(loaded.trace) > 2.5);  // two tries more, a second apart
    CHECK(share_of_kernels(job, loaded.trace) > 0.4);
  }
}

TEST_CASE("a session that goes on is never ended by us, and one that ends unseen is waited for") {
  struct Case {
    JobSpec spec;
    const char* said;
  };
  const Case cases[] = {{pytorch_job("13.0", "0.125,0.99"), "until it is done"},
                        {job_with_another_tool("13.0"), "DEEPPROF_REARM_S"},
                        {pytorch_job("12.9", "0.125,0.25"), "DEEPPROF_REARM_S"}};
  for (const Case& it : cases) {
    CAPTURE(it.spec.cupti, it.said);
    const JobOutcome job = run_job(it.spec);
    require_unharmed(job);
    CHECK(job.errors.find(it.said) != std::string::npos);
    const LoadedDprof loaded = only_trace(job);
    CHECK(loaded.trace.losses[Loss::takeover] == 1);
    CHECK(share_of_kernels(job, loaded.trace) < 0.3);
    CHECK(job.account->flushes < 20);  // of some 40 ticks: none while the other tool has CUPTI
    CHECK(longest_spell_s(loaded.trace) > 6);
  }
}

TEST_CASE("where all threads share one buffer a takeover is noticed within two seconds, too") {
  JobSpec spec = job_with_another_tool("12.9");
  spec.environment["DEEPPROF_REARM_S"] = "3";
  spec.environment["DEEPPROF_LOG"] = "stderr";
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  INFO(job.errors);
  const LoadedDprof loaded = only_trace(job);
  CHECK(loaded.trace.losses[Loss::takeover] == 1);
  // Taken at 1 s, noticed by 3 s, taken back 3 s later: at 30 s only, the job would have been over.
  CHECK(share_of_kernels(job, loaded.trace) > 0.25);
  const std::string spell = fact_or_empty(loaded.trace, "takeover.1");
  char* end = nullptr;
  const long long from = std::strtoll(spell.c_str(), &end, 10), to = std::strtoll(end, nullptr, 10);
  CHECK(to - from < 5'500'000'000);
}

TEST_CASE("a long kernel in a shared buffer is no takeover") {
  JobSpec spec = injected("12.9");
  // The GPU is done with each op four seconds after its launch; in between buffers wait for it.
  spec.arguments = {"--stop-after", "200", "--gpu-lag", "4000000"};
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  const LoadedDprof loaded = only_trace(job);
  CHECK(loaded.trace.losses[Loss::takeover] == 0);
  CHECK(imbalance(job, loaded.trace).empty());
}

TEST_CASE("a job that nobody disturbs is never called taken over") {
  JobSpec spec = injected("13.0");
  spec.arguments = {"--rate", "2000", "--seconds", "3"};
  spec.environment["DEEPPROF_REARM_S"] = "1";
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  const LoadedDprof loaded = only_trace(job);
  CHECK(loaded.trace.losses[Loss::takeover] == 0);
}

TEST_CASE("with the v2 interface of CUPTI 13.3 several tools trace side by side") {
  const JobOutcome job = run_job(job_with_another_tool("13.4"));
  require_unharmed(job);
  const LoadedDprof loaded = only_trace(job);
  CHECK(loaded.trace.losses[Loss::takeover] == 0);
  CHECK(loaded.trace.losses[Loss::never_returned] == 0);
  CHECK(share_of_kernels(job, loaded.trace) == 1);
  CHECK(fact_or_empty(loaded.trace, "takeover_witness") == "not needed");
  CHECK(job.account->api_misuse == 0);
}

TEST_CASE(
    "in a PyTorch job the v1 interface is used, as torch.profiler would be refused beside a v2 "
    "client") {
  const JobOutcome job = run_job(pytorch_job("13.4", "0.125,0.25"));
  require_unharmed(job);
  CHECK(job.account->api_misuse == 0);
  const LoadedDprof loaded = only_trace(job);
  CHECK(loaded.trace.losses[Loss::takeover] >= 1);
  CHECK(share_of_kernels(job, loaded.trace) > 0.4);
  CHECK_FALSE(fact_or_empty(loaded.trace, "cupti_note").empty());
}
