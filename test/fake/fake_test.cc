// The stand-ins keep the promises that other tests build on.
#include <dlfcn.h>
#include <unistd.h>

#include <cstring>
#include <memory>

#include "test/fake/cupti/version.h"
#include "test/fake/run_job.h"
#include "test/fake/workload/resnet.h"
#include "test/support/catch.h"

using namespace deepprof;
using namespace deepprof::test;
using fake::Account;

namespace {

std::string small_job() {
  static const std::string path = [] {
    fake::ResnetOptions options;
    options.iterations = 6;
    options.evaluate_every = 3;
    options.evaluation_batches = 1;
    options.checkpoint_every = 4;
    const std::string file = scratch_folder() + "/small.rec";
    REQUIRE(recording::write(file, fake::model_resnet(options).recording).empty());
    return file;
  }();
  return path;
}

JobSpec bare(const std::string& version = "13.0") {
  JobSpec spec;
  spec.recording = small_job();
  spec.cupti = version;
  spec.library = bare_client();
  return spec;
}

uint64_t total(const Account::Count* counts) {
  uint64_t sum = 0;
  for (uint32_t kind = 0; kind < fake::kActivityKinds; ++kind) sum += counts[kind];
  return sum;
}

void require_well(const JobOutcome& job) {
  INFO(job.errors);
  REQUIRE_FALSE(job.hung);
  REQUIRE(job.exit_code == 0);
  REQUIRE(job.output == "fake_host: launched everything\n");
  REQUIRE(job.account);
}

}  // namespace

TEST_CASE("a recording reads back as it was written") {
  recording::Recording written = fake::model_resnet({}).recording, read;
  const std::string path = scratch_folder() + "/a.rec";
  REQUIRE(recording::write(path, written).empty());
  REQUIRE(recording::read(path, read).empty());
  CHECK(read.names == written.names);
  REQUIRE(read.ops.size() == written.ops.size());
  CHECK(memcmp(read.ops.data(), written.ops.data(), read.ops.size() * sizeof(recording::Op)) == 0);
  REQUIRE(read.calls.size() == written.calls.size());
  CHECK(memcmp(read.calls.data(), written.calls.data(),
               read.calls.size() * sizeof(recording::Call)) == 0);
}

TEST_CASE("a recording that is cut or refers to nothing is refused with a sentence") {
  recording::Recording whole = fake::model_resnet({}).recording, read;
  const std::string path = scratch_folder() + "/a.rec";
  REQUIRE(recording::write(path, whole).empty());
  REQUIRE(truncate(path.c_str(), 100'000) == 0);
  CHECK(recording::read(path, read).find("ends before") != std::string::npos);
  whole.calls[0].name = 1'000'000;
  REQUIRE(recording::write(path, whole).empty());
  CHECK(recording::read(path, read).find("refers to") != std::string::npos);
  CHECK(recording::read("/dev/null", read).find("not a recording") != std::string::npos);
}

TEST_CASE("a modelled job is the same for the same seed and another for another") {
  fake::ResnetOptions options;
  options.iterations = 4;
  const auto a = fake::model_resnet(options), b = fake::model_resnet(options);
  options.seed = 2;
  const auto c = fake::model_resnet(options);
  CHECK(a.iteration_begins.size() == 4);
  REQUIRE(a.recording.ops.size() == b.recording.ops.size());
  CHECK(memcmp(a.recording.ops.data(), b.recording.ops.data(),
               a.recording.ops.size() * sizeof(recording::Op)) == 0);
  CHECK(memcmp(a.recording.ops.data(), c.recording.ops.data(),
               a.recording.ops.size() * sizeof(recording::Op)) != 0);
}

TEST_CASE("a job without an injected library runs and writes nothing") {
  JobSpec spec = bare();
  spec.library.clear();
  const JobOutcome job = run_job(spec);
  CHECK(job.exit_code == 0);
  CHECK(job.errors.empty());
  CHECK_FALSE(job.account);
}

TEST_CASE("every record that is submitted is delivered, whatever the version") {
  for (const char* version : kFakeCuptiVersions) {
    INFO(version);
    JobSpec spec = bare(version);
    // the bare client's one handler runs before the driver's
    spec.environment["FAKE_CUDA_ATEXIT"] = "before";
    const JobOutcome job = run_job(spec);
    require_well(job);
    const Account& a = *job.account;
    CHECK(total(a.submitted) > 5000);
    CHECK(total(a.delivered) == total(a.submitted));
    for (uint32_t kind = 0; kind < fake::kActivityKinds; ++kind)
      CHECK(a.delivered[kind] == a.submitted[kind]);
    CHECK(a.dropped == 0);
    CHECK(a.bad_times == 0);
  }
}

TEST_CASE("once the driver has gone, a client gets nothing more") {
  JobSpec spec = bare();
  spec.environment["FAKE_CUDA_ATEXIT"] = "after";
  const JobOutcome job = run_job(spec);
  require_well(job);
  CHECK(total(job.account->delivered) < total(job.account->submitted));
}

TEST_CASE("records that are still running when the job ends come out with times of zero") {
  JobSpec spec = bare();
  spec.environment["FAKE_CUDA_ATEXIT"] = "before";
  spec.arguments = {"--gpu-lag", "10000000", "--no-sync"};
  const JobOutcome job = run_job(spec);
  require_well(job);
  const Account& a = *job.account;
  const uint64_t gpu_records = a.delivered[fake::kConcurrentKernelKind] +
                               a.delivered[fake::kMemcpyKind] + a.delivered[fake::kMemsetKind];
  CHECK(a.bad_times == gpu_records);
}

TEST_CASE("what the GPU has done is complete at a flush, however late CUPTI's worker is") {
  JobSpec spec = bare();
  spec.environment = {{"FAKE_CUDA_ATEXIT", "before"}, {"FAKE_CUPTI_LATE_MS", "300"}};
  spec.arguments = {"--gpu-lag", "1000"};
  const JobOutcome job = run_job(spec);
  require_well(job);
  CHECK(total(job.account->delivered) == total(job.account->submitted));
  CHECK(job.account->bad_times == 0);
}

TEST_CASE("faults on demand are made and accounted") {
  JobSpec spec = bare();
  spec.environment = {{"FAKE_CUDA_ATEXIT", "before"},
                      {"FAKE_CUPTI_BAD_TIMES", "50"},
                      {"FAKE_CUPTI_UNKNOWN", "100"}};
  const JobOutcome job = run_job(spec);
  require_well(job);
  const Account& a = *job.account;
  const uint64_t gpu_records = a.submitted[fake::kConcurrentKernelKind] +
                               a.submitted[fake::kMemcpyKind] + a.submitted[fake::kMemsetKind];
  CHECK(a.bad_times == gpu_records / 50);
  CHECK(a.unknown > 0);
  CHECK(a.unknown == a.delivered[fake::kNameKind]);
}

TEST_CASE("a job ends in the way that it was told to") {
  JobSpec spec = bare();
  spec.library.clear();
  const auto ends = [&](const char* way, int code, int signal) {
    INFO(way);
    spec.arguments = {"--exit", way, "--code", "7"};
    const JobOutcome job = run_job(spec);
    CHECK(job.exit_code == code);
    CHECK(job.signal == signal);
  };
  for (const char* way : {"normal", "exit", "_exit", "quick_exit", "thread", "launching"})
    ends(way, 7, 0);
  ends("sigterm", -1, 15);
  ends("sigkill", -1, 9);
  ends("abort", -1, 6);
}

namespace {

// Where a CUPTI says that the second of two records begins, in a buffer full of one kind's number.
size_t stride_of(void* library, uint32_t kind) {
  using NextRecord = int (*)(uint8_t*, size_t, uint8_t**);
  const auto next = reinterpret_cast<NextRecord>(dlsym(library, "cuptiActivityGetNextRecord"));
  alignas(8) uint8_t buffer[1024] = {};
  for (size_t at = 0; at < sizeof buffer; at += 8) memcpy(buffer + at, &kind, sizeof kind);
  uint8_t *first = nullptr, *second = nullptr;
  if (next(buffer, sizeof buffer, &first) != 0) return 0;
  second = first;
  return next(buffer, sizeof buffer, &second) == 0 ? static_cast<size_t>(second - first) : 0;
}

uint32_t api_of(void* library) {
  uint32_t version = 0;
  reinterpret_cast<int (*)(uint32_t*)>(dlsym(library, "cuptiGetVersion"))(&version);
  return version;
}

}  // namespace

TEST_CASE("record sizes are those of the genuine libraries") {
  constexpr fake::Version kVersions[] = {fake::kVersion118, fake::kVersion129, fake::kVersion130,
                                         fake::kVersion134};
  int checked = 0;
  // DEEPPROF_GENUINE_CUPTI: paths of genuine libraries, separated by colons; set where any is
  // installed.
  std::string paths = getenv("DEEPPROF_GENUINE_CUPTI") ? getenv("DEEPPROF_GENUINE_CUPTI") : "";
  for (size_t from = 0; from < paths.size();) {
    const size_t to = std::min(paths.find(':', from), paths.size());
    const std::string path = paths.substr(from, to - from);
    from = to + 1;
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    INFO(path);
    REQUIRE(library);
    for (const fake::Version& version : kVersions) {
      // 13.4 walks no buffer without a driver: its sizes are checked against its headers alone.
      if (version.api != api_of(library) || version.api == fake::kVersion134.api) continue;
      ++checked;
      CHECK(stride_of(library, fake::kConcurrentKernelKind) == version.kernel_bytes);
      CHECK(stride_of(library, fake::kMemcpyKind) == version.memcpy_bytes);
      CHECK(stride_of(library, fake::kPeerMemcpyKind) == version.peer_memcpy_bytes);
      CHECK(stride_of(library, fake::kMemsetKind) == version.memset_bytes);
      CHECK(stride_of(library, fake::kSynchronizationKind) == version.synchronization_bytes);
      CHECK(stride_of(library, fake::kGraphTraceKind) == version.graph_trace_bytes);
      CHECK(stride_of(library, fake::kOverheadKind) == version.overhead_bytes);
      CHECK(stride_of(library, fake::kRuntimeKind) == sizeof(fake::ApiRecord));
    }
  }
  if (checked == 0)
    WARN("no genuine CUPTI of a version we know: sizes were not compared with a library");
}
