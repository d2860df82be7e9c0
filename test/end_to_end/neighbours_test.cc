// Others in the same process: another user of CUPTI that takes it over, debuggers that hold it, two
// copies of libcupti, and libraries that come and go.
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

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

namespace {

void check_stands_down(const JobSpec& spec, const std::string& tool) {
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  CHECK(job.traces.empty());
  CHECK(job.errors == "deepprof: " + tool + " holds this process: standing down\n");
}

// The job below a debugger that is called so.
JobSpec debugged_by(const char* name) {
  JobSpec spec = injected();
  spec.command = {std::string(getenv("DEEPPROF_BINARY_DIR")) + "/test/end_to_end/traced", name,
                  fake_dir() + "/fake_host", small_job()};
  return spec;
}

}  // namespace

TEST_CASE(
    "a profiler of NVIDIA's that holds the process makes the library stand down in one line") {
  const std::pair<const char*, const char*> variables[] = {
      {"NSYS_PROFILING_SESSION_ID", "Nsight Systems"},
      {"NV_NSIGHT_INJECTION_PORT_BASE", "Nsight Compute"},
      {"NV_SANITIZER_INJECTION_PORT_BASE", "compute-sanitizer"}};
  for (const auto& [variable, tool] : variables) {
    JobSpec spec = injected();
    spec.environment[variable] = "1";
    check_stands_down(spec, tool);
  }
  const std::pair<const char*, const char*> libraries[] = {
      {"libToolsInjection64.so", "Nsight Systems"},
      {"libcuda-injection.so", "Nsight Compute"},
      {"libsanitizer-collection.so", "compute-sanitizer"}};
  for (const auto& [library, tool] : libraries) {
    const std::string mapped = scratch_folder() + "/" + library;
    std::filesystem::copy_file(fake_dir() + "/torch/libtorch_cpu.so", mapped);
    JobSpec spec = injected();
    spec.environment["LD_PRELOAD"] = mapped;
    check_stands_down(spec, tool);
  }
}

TEST_CASE("below cuda-gdb the library stands down, below another debugger it does not") {
  if (run_job(debugged_by("gdb")).exit_code == 99) {
    WARN("no process may trace another here: n/a");
    return;
  }
  check_stands_down(debugged_by("cuda-gdb"), "cuda-gdb");
  const JobOutcome job = run_job(debugged_by("gdb"));
  require_unharmed(job);
  CHECK(imbalance(job, only_trace(job).trace).empty());
}

TEST_CASE("of two copies of libcupti in a process the one that the job has mapped is used") {
  JobSpec spec = injected("");
  spec.environment["LD_PRELOAD"] = fake_cupti("12.9") + ":" + fake_cupti("13.0");
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  const LoadedDprof loaded = only_trace(job);
  CHECK(imbalance(job, loaded.trace).empty());
}

TEST_CASE(
    "CUPTI is found where the job's other libraries of CUDA come from, however they are named") {
  struct Layout {
    const char* mapped;  // by the job
    const char* cupti;
  };
  const Layout layouts[] = {
      {"site-packages/nvidia/cuda_runtime/lib/libcudart.so.12",
       "site-packages/nvidia/cuda_cupti/lib/libcupti.so.12"},
      {"site-packages/nvidia/cublas/lib/libcublas.so.12",
       "site-packages/nvidia/cuda_cupti/lib/libcupti.so.12"},
      {"home/nvidia/env/nvidia/cublas/lib/libcublas.so.12",
       "home/nvidia/env/nvidia/cuda_cupti/lib/libcupti.so.12"},
      {"site-packages/nvidia/cu13/lib/libcudart.so.13",
       "site-packages/nvidia/cu13/lib/libcupti.so.13"},
      {"site-packages/nvidia/cudnn/lib/libcudnn.so.9",
       "site-packages/nvidia/cu13/lib/libcupti.so.13"},
      {"torch/lib/libcudart-1a2b3c4d.so.12", "torch/lib/libcupti.so.12"},
      {"toolkit/targets/x86_64-linux/lib/libcudart.so.13",
       "toolkit/extras/CUPTI/lib64/libcupti.so.13"},
  };
  for (const Layout& layout : layouts) {
    CAPTURE(layout.mapped);
    const std::filesystem::path root = scratch_folder();
    const auto put = [&](const std::string& from, const char* to) {
      std::filesystem::create_directories((root / to).parent_path());
      std::filesystem::copy_file(from, root / to);
    };
    put(fake_dir() + "/torch/libtorch_cpu.so", layout.mapped);
    put(fake_cupti(std::string(layout.cupti).back() == '2' ? "12.9" : "13.0"), layout.cupti);
    JobSpec spec = injected("");
    spec.environment["LD_PRELOAD"] = root / layout.mapped;
    const JobOutcome job = run_job(spec);
    require_unharmed(job);
    CHECK(imbalance(job, only_trace(job).trace).empty());
  }
}

TEST_CASE("beside the wheels of two CUDAs the CUPTI of the one that the job has mapped is taken") {
  const std::filesystem::path nvidia = std::filesystem::path(scratch_folder()) / "nvidia";
  for (const char* folder : {"cu13/lib", "cuda_cupti/lib"})
    std::filesystem::create_directories(nvidia / folder);
  std::filesystem::copy_file(fake_cupti("12.9"), nvidia / "cuda_cupti/lib/libcupti.so.12");
  std::filesystem::copy_file(fake_cupti("13.0"), nvidia / "cu13/lib/libcupti.so.13");
  std::filesystem::copy_file(fake_dir() + "/torch/libtorch_cpu.so",
                             nvidia / "cu13/lib/libcublas.so.13");
  JobSpec spec = injected("");
  spec.environment["LD_PRELOAD"] = nvidia / "cu13/lib/libcublas.so.13";
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  const LoadedDprof loaded = only_trace(job);
  const auto& facts = loaded.trace.process.facts;
  const auto is_13 = [](const auto& fact) {
    return fact.first == "cupti_version" && fact.second == "130001";
  };
  CHECK(std::any_of(facts.begin(), facts.end(), is_13));
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
