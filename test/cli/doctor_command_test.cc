#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "analysis/cli/doctor/permissions.h"
#include "test/cli/run_program.h"
#include "test/support/catch.h"
#include "test/support/one_line.h"
#include "test/trace/temporary_folder.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

std::string fake() { return std::string(std::getenv("DEEPPROF_BINARY_DIR")) + "/test/fake"; }

// On the stand-ins, with `more` in the environment.
ProgramResult doctor(const std::vector<std::string>& more = {},
                     const std::string& cupti = "13.0/libcupti.so.13") {
  std::vector<std::string> environment{"LD_LIBRARY_PATH=" + fake() + "/driver",
                                       "DEEPPROF_CUPTI=" + fake() + "/cupti-" + cupti,
                                       "DEEPPROF_OUTPUT=/tmp"};
  environment.insert(environment.end(), more.begin(), more.end());
  return run_deepprof({"doctor", "--format", "csv"}, environment);
}

// A machine with one of the driver's device files, and what the kernel says of its parameters.
std::string machine_with(const TemporaryFolder& folder, const char* device,
                         const char* parameters) {
  const std::string root = folder / "";
  std::filesystem::permissions(root, std::filesystem::perms(0755));
  std::filesystem::create_directories(root + "/dev");
  std::filesystem::create_directories(root + "/proc/driver/nvidia");
  std::ofstream(root + device);
  std::ofstream(root + "/proc/driver/nvidia/params") << parameters;
  return root;
}

}  // namespace

TEST_CASE("doctor without a driver says so, what to do, and exits with 2") {
  const ProgramResult result =
      run_deepprof({"doctor"}, {"LD_LIBRARY_PATH=", "DEEPPROF_CUPTI=/nonexistent/libcupti.so"});
  CAPTURE(result.out, result.err);
  CHECK(result.exit_code == 2);
  CHECK(has(result.out, "/nonexistent/libcupti.so"));
  CHECK(has(result.out, "A job started here would run, but not be captured."));
}

TEST_CASE("doctor on the stand-ins finds driver, CUPTI, every kind of record and no subscriber") {
  const ProgramResult result = doctor();
  CAPTURE(result.out, result.err);
  CHECK(result.exit_code == 0);
  CHECK(has(result.out, "\ndriver,ok,"));
  CHECK(has(result.out, "\nrecords,ok,all kinds agreed"));
  CHECK(has(result.out, "\nsubscriber,ok,nobody holds it"));
  CHECK(has(result.out, "\noutput,"));
  CHECK(has(result.out, "\nNVML,limited,libnvidia-ml.so.1 is not found"));
  CHECK(
      has(doctor({"LD_LIBRARY_PATH=" + fake() + "/driver:" + fake() + "/nvml"}).out, "\nNVML,ok,"));
}

TEST_CASE(
    "doctor says whether another tool holds CUPTI's subscriber, and that newer ones are shared") {
  const ProgramResult held = doctor({"FAKE_CUPTI_FAIL=cuptiSubscribe=39"});
  CAPTURE(held.out, held.err);
  CHECK(held.exit_code == 0);
  CHECK(has(held.out, "\nsubscriber,limited,another tool in this process holds it"));
  CHECK(has(doctor({}, "13.4/libcupti.so.13").out, "\nsubscriber,ok,ours; other tools may"));
  CHECK(has(doctor({"FAKE_CUPTI_FAIL=cuptiSubscribe=999"}).out, "\nsubscriber,unknown,"));
}

TEST_CASE("doctor names the kinds that CUPTI refuses, and a CUPTI that refuses all") {
  const ProgramResult one = doctor({"FAKE_CUPTI_FAIL=cuptiActivityEnable:17=14"});
  CHECK(one.exit_code == 0);
  CHECK(has(one.out, "\nrecords,limited,refused: overhead: CUPTI_ERROR_NOT_COMPATIBLE (14)"));
  const ProgramResult all = doctor({"FAKE_CUPTI_FAIL=cuptiActivityRegisterCallbacks=999"});
  CHECK(all.exit_code == 2);
  CHECK(has(all.out, "\nrecords,broken,"));
  CHECK(has(all.out, "\nsubscriber,unknown,"));
}

TEST_CASE("doctor lists every libcupti that is there beside the one that is chosen") {
  const TemporaryFolder folder;
  const std::string toolkit = folder / "cuda", other = toolkit + "/lib64/libcupti.so.12";
  std::filesystem::create_directories(toolkit + "/lib64");
  std::filesystem::copy_file(fake() + "/cupti-12.9/libcupti.so.12", other);
  const ProgramResult result = doctor({"CUDA_HOME=" + toolkit});
  CAPTURE(result.out, result.err);
  CHECK(has(result.out, "/cupti-13.0/libcupti.so.13 (DEEPPROF_CUPTI)"));
  CHECK(has(result.out, "also " + other + " (in CUDA_HOME)"));
}

TEST_CASE("doctor tells of a library that LD_PRELOAD cannot name, and of none at all") {
  const TemporaryFolder folder;
  const std::string prefix = folder / "a b";
  std::filesystem::create_directories(prefix + "/bin");
  std::filesystem::copy_file(std::getenv("DEEPPROF_COMMAND"), prefix + "/bin/deepprof");
  const auto says = [&](const std::string& text) {
    const ProgramResult result = run_program({prefix + "/bin/deepprof", "doctor"},
                                             {"LD_LIBRARY_PATH=" + fake() + "/driver"});
    CAPTURE(result.out, result.err);
    CHECK(has(one_line(result.out), text));
  };
  says("is not beside this program");
  std::filesystem::create_directories(prefix + "/lib");
  std::filesystem::copy_file(built_library(), prefix + "/lib/libdeepprof_inject.so");
  says("run --preload, --cpu: LD_PRELOAD cannot name");
}

TEST_CASE("permissions: device files that can be opened, that cannot, and none") {
  const TemporaryFolder folder, empty;
  const std::string root =
      machine_with(folder, "/dev/nvidiactl", "ResmanDebugLevel: 1\nRmProfilingAdminOnly: 1\n");
  const Symptom open = check_permissions(root);
  CHECK(open.health == Health::good);
  CHECK(has(open.finding, "counters are for administrators alone"));
  CHECK(check_permissions(empty / "").health == Health::unknown);

  std::filesystem::permissions(root + "/dev/nvidiactl", std::filesystem::perms::none);
  int status = 0;
  const pid_t child = ::fork();
  if (child == 0) {  // nothing is closed to root
    const bool plain = ::geteuid() != 0 || (::setgid(65534) == 0 && ::setuid(65534) == 0);
    const Symptom closed = check_permissions(root);
    ::_exit(plain && closed.health == Health::broken && !closed.advice.empty() ? 0 : 1);
  }
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
}

TEST_CASE("doctor names a tool in the way, a misspelt variable and a folder that cannot be") {
  const ProgramResult tool = doctor({"NSYS_PROFILING_SESSION_ID=1"});
  CHECK(tool.exit_code == 2);
  CHECK(has(tool.out, "other tools,broken,Nsight Systems"));
  const ProgramResult misspelt = doctor({"DEEPPROF_OUTPT=/tmp"});
  CHECK(misspelt.exit_code == 0);
  CHECK(has(misspelt.out, "variables,limited,"));
  CHECK(has(misspelt.out, "DEEPPROF_OUTPT"));
  const ProgramResult folder = doctor({"DEEPPROF_OUTPUT=/dev/null/nowhere"});
  CHECK(folder.exit_code == 2);
  CHECK(has(folder.out, "output,broken,"));
}
