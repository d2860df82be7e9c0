// Jobs whose limits, locale, allocator or folders are not what most have.
#include <cctype>
#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "test/end_to_end/account.h"
#include "test/end_to_end/jobs.h"
#include "test/support/catch.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

// The stand-in job below a shell that has run `before`.
JobSpec after(const std::string& before) {
  JobSpec spec = injected();
  spec.command = {"/bin/bash", "-c", before + " && exec \"$0\" \"$@\"", fake_dir() + "/fake_host",
                  small_job()};
  return spec;
}

void require_whole(const JobSpec& spec) {
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  INFO(job.errors);
  CHECK(imbalance(job, only_trace(job).trace) == "");
  CHECK(job.reports.size() == 1);
}

}  // namespace

TEST_CASE("a job with small stacks, huge ones or a few descriptors leaves a whole trace") {
  for (const char* limit : {"ulimit -s 64", "ulimit -s 4194304", "ulimit -n 8"}) {
    CAPTURE(limit);
    if (run_job(after(std::string(limit) + " || exit 99; true")).exit_code == 99) {
      WARN(limit << ": refused here: n/a");
      continue;
    }
    require_whole(after(limit));
  }
}

TEST_CASE("a job under a limit of address space that we would fill runs on, and is told",
          "[plain]") {
  for (const char* limit : {"ulimit -v 300000", "ulimit -v 150000"}) {
    CAPTURE(limit);
    const JobOutcome job = run_job(after(limit));
    require_unharmed(job);
    CHECK(job.traces.empty());
    CHECK(job.errors.find("limit of address space (ulimit -v) leaves") != std::string::npos);
  }
  require_whole(after("ulimit -v 4000000"));
}

TEST_CASE("a job without a home, with a TMPDIR that is not there, leaves a whole trace") {
  require_whole(after("unset HOME; export TMPDIR=/nonexistent"));
}

TEST_CASE("a job whose working folder is gone is told that nothing is recorded, and runs on") {
  JobSpec spec = after("cd \"$(mktemp -d)\" && rmdir \"$PWD\"");
  spec.environment["DEEPPROF_OUTPUT"] = ".";
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  CHECK(job.errors.find("capture is off: cannot write the trace") != std::string::npos);
}

TEST_CASE("under another allocator the trace is whole") {
  for (const std::string name : {"libjemalloc.so.2", "libtcmalloc_minimal.so.4"}) {
    const std::string path = "/usr/lib/x86_64-linux-gnu/" + name;
    if (!std::filesystem::exists(path)) {
      WARN(name << " is not installed: n/a");
      continue;
    }
    JobSpec spec = injected();
    spec.environment["LD_PRELOAD"] = path;
    require_whole(spec);
  }
}

TEST_CASE("in a job that writes numbers with a comma ours keep their point") {
  if (std::setlocale(LC_NUMERIC, "de_DE.UTF-8") == nullptr) {
    WARN("no de_DE.UTF-8 locale on this machine: n/a");
    return;
  }
  std::setlocale(LC_NUMERIC, "C");
  const std::string metrics = scratch_folder() + "/metrics";
  JobSpec spec = injected();
  spec.environment["DEEPPROF_METRICS_FILE"] = metrics;
  spec.environment["LC_ALL"] = "de_DE.UTF-8";
  spec.command = {"python3", "-c",
                  "import ctypes, locale, sys; locale.setlocale(locale.LC_ALL, '')\n"
                  "driver = ctypes.CDLL(sys.argv[1]); driver.cuInit(0)\n"
                  "for i in range(1000): driver.fakeDriverLaunch(b'kernel', ctypes.c_uint64(2345))",
                  fake_dir() + "/driver/libcuda.so.1"};
  const JobOutcome job = run_job(spec);
  REQUIRE(job.exit_code == 0);
  const std::string report = job.errors + text_of(metrics);
  REQUIRE(report.find("deepprof_") != std::string::npos);
  const auto is_digit = [&](size_t at) {
    return std::isdigit(static_cast<unsigned char>(report[at])) != 0;
  };
  // 1,000 of a kernel are a count; 0,002345 and 2,35 would be fractions.
  for (size_t at = report.find(','); at != std::string::npos; at = report.find(',', at + 1)) {
    if (at == 0 || !is_digit(at - 1) || at + 3 >= report.size() || !is_digit(at + 1)) continue;
    INFO(report.substr(at < 20 ? 0 : at - 20, 40));
    CHECK((is_digit(at + 2) && is_digit(at + 3) && !is_digit(at + 4)));
  }
}
