#include <cstdlib>

#include "test/cli/run_program.h"
#include "test/support/catch.h"

using namespace deepprof::test;

TEST_CASE("doctor without a driver says so, what to do, and exits with 2") {
  const ProgramResult result =
      run_deepprof({"doctor"}, {"LD_LIBRARY_PATH=", "DEEPPROF_CUPTI=/nonexistent/libcupti.so"});
  CAPTURE(result.out, result.err);
  CHECK(result.exit_code == 2);
  CHECK(result.out.find("/nonexistent/libcupti.so") != std::string::npos);
  CHECK(result.out.find("A job started here would run, but not be captured.") != std::string::npos);
}

TEST_CASE("doctor on the stand-ins finds driver, CUPTI and every kind of record") {
  const std::string fake = std::string(std::getenv("DEEPPROF_BINARY_DIR")) + "/test/fake";
  const ProgramResult result = run_deepprof(
      {"doctor", "--format", "csv"},
      {"LD_LIBRARY_PATH=" + fake + "/driver",
       "DEEPPROF_CUPTI=" + fake + "/cupti-13.0/libcupti.so.13", "DEEPPROF_OUTPUT=/tmp"});
  CAPTURE(result.out, result.err);
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("\ndriver,ok,") != std::string::npos);
  CHECK(result.out.find("\nrecords,ok,") != std::string::npos);
  CHECK(result.out.find("\noutput,") != std::string::npos);
}

TEST_CASE("doctor names a tool in the way, a misspelt variable and a folder that cannot be") {
  const std::string fake = std::string(std::getenv("DEEPPROF_BINARY_DIR")) + "/test/fake";
  const std::vector<std::string> machine{"LD_LIBRARY_PATH=" + fake + "/driver",
                                         "DEEPPROF_CUPTI=" + fake + "/cupti-13.0/libcupti.so.13",
                                         "DEEPPROF_OUTPUT=/tmp"};
  const auto with = [&](const std::string& more) {
    std::vector<std::string> environment = machine;
    environment.push_back(more);
    return run_deepprof({"doctor", "--format", "csv"}, environment);
  };
  const ProgramResult tool = with("NSYS_PROFILING_SESSION_ID=1");
  CHECK(tool.exit_code == 2);
  CHECK(tool.out.find("other tools,broken,Nsight Systems") != std::string::npos);
  const ProgramResult misspelt = with("DEEPPROF_OUTPT=/tmp");
  CHECK(misspelt.exit_code == 0);
  CHECK(misspelt.out.find("variables,limited,") != std::string::npos);
  CHECK(misspelt.out.find("DEEPPROF_OUTPT") != std::string::npos);
  const ProgramResult folder = with("DEEPPROF_OUTPUT=/dev/null/nowhere");
  CHECK(folder.exit_code == 2);
  CHECK(folder.out.find("output,broken,") != std::string::npos);
}
