// Python jobs with children made by fork, spawn and forkserver.
#include <cstdlib>

#include "test/end_to_end/account.h"
#include "test/end_to_end/jobs.h"
#include "test/support/catch.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

JobOutcome run_python(const char* method) {
  JobSpec spec = injected();
  const std::string script =
      std::string(getenv("DEEPPROF_SOURCE_DIR")) + "/test/end_to_end/multiprocessing_job.py";
  spec.command = {"python3", script, fake_dir() + "/driver/libcuda.so.1", method};
  spec.environment["FAKE_CUPTI_ACCOUNT"] = "";  // several processes
  const JobOutcome job = run_job(spec);
  INFO(job.errors);
  REQUIRE_FALSE(job.hung);
  REQUIRE(job.exit_code == 0);
  REQUIRE(job.output == "done\n");
  return job;
}

size_t kernels_named(const std::string& path, const char* name) {
  const Result<LoadedDprof> loaded = read_dprof(path);
  REQUIRE(loaded.ok());
  size_t count = 0;
  for (const Op& op : loaded.value().trace.ops)
    count += loaded.value().trace.names[op.name] == name;
  return count;
}

}  // namespace

TEST_CASE("forked workers of a Python job leave no files, and the job's own trace is whole") {
  const JobOutcome job = run_python("fork");
  REQUIRE(job.traces.size() == 1);
  CHECK(kernels_named(job.traces[0], "kernel_of_parent") == 2000);
  CHECK(job.reports.size() == 1);
}

TEST_CASE(
    "children of a Python job that use the GPU leave a trace each, though they end in os._exit") {
  for (const char* method : {"spawn", "forkserver"}) {
    INFO(method);
    const JobOutcome job = run_python(method);
    REQUIRE(job.traces.size() == 3);
    size_t of_parent = 0, of_children = 0;
    for (const std::string& trace : job.traces) {
      of_parent += kernels_named(trace, "kernel_of_parent");
      of_children += kernels_named(trace, "kernel_of_child");
    }
    CHECK(of_parent == 2000);
    CHECK(of_children > 2 * 200 / 2);  // all but the last moments of each
    CHECK(of_children <= 2 * 200);
  }
}
