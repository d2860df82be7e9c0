#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "test/cli/run_program.h"
#include "test/support/catch.h"
#include "test/trace/temporary_folder.h"

using namespace deepprof::test;

namespace {

// `deepprof plot` with a made-up Python. /bin/echo is one that has matplotlib and prints what it is
// told.
ProgramResult plot(std::vector<std::string> arguments, const std::string& python = "/bin/echo") {
  arguments.insert(arguments.begin(), "plot");
  return run_deepprof(std::move(arguments), {"DEEPPROF_PYTHON=" + python});
}

}  // namespace

TEST_CASE("plot runs the script of each picture that is named, on the trace, into the folder") {
  const ProgramResult result =
      plot({"/dev/null", "gaps", "timeline", "-o", "pictures", "--iter", "7"});
  CAPTURE(result.out, result.err);
  CHECK(result.exit_code == 0);
  CHECK(has(result.out, "/plot_gaps.py /dev/null --output pictures/gaps\n"));
  CHECK(has(result.out, "/plot_timeline.py /dev/null --output pictures/timeline --iter 7\n"));
}

TEST_CASE("plot without names draws all pictures, and each has a script") {
  const ProgramResult result = plot({"/dev/null"});
  CHECK(result.exit_code == 0);
  for (const char* name : {"iterations", "histogram", "breakdown", "timeline", "gaps", "kernels",
                           "selfsimilarity", "device", "memory"}) {
    INFO(name);
    const size_t at = result.out.find(std::string("/plot_") + name + ".py");
    REQUIRE(at != std::string::npos);
    const size_t line = result.out.rfind('\n', at) + 1;  // npos + 1 is 0: the first line
    const std::string script = result.out.substr(line, result.out.find(' ', line) - line);
    CHECK(run_program({"/usr/bin/test", "-x", script}).exit_code == 0);
  }
}

TEST_CASE("pictures of several runs are drawn with the runs that are named after --with") {
  const ProgramResult result = plot({"/dev/null", "--with", "/dev/zero", "/dev/full", "-o", "p"});
  CAPTURE(result.out, result.err);
  CHECK(result.exit_code == 0);
  CHECK(has(result.out,
            "/plot_compare.py /dev/null --output p/compare --with /dev/zero /dev/full\n"));
  CHECK(has(result.out, "/plot_sweep.py /dev/null --output p/sweep --with /dev/zero /dev/full\n"));
  CHECK_FALSE(has(result.out, "plot_gaps"));
  CHECK(has(plot({"/dev/null", "compare"}).err, "name the others after --with"));
  CHECK(has(plot({"/dev/null", "--with", "/no/such/trace"}).err, "cannot read /no/such/trace"));
}

TEST_CASE("one picture that cannot be drawn does not take the others along") {
  const TemporaryFolder folder;
  const std::string python = folder / "python";
  std::ofstream(python)
      << "#!/bin/sh\ncase \"$1\" in *plot_gaps*) exit 1;; *plot_*) echo \"$1\";; esac\n";
  REQUIRE(::chmod(python.c_str(), 0755) == 0);
  const ProgramResult result = plot({"/dev/null", "gaps", "kernels"}, python);
  CAPTURE(result.out, result.err);
  CHECK(result.exit_code == 1);
  CHECK(has(result.out, "plot_kernels.py"));
  CHECK(has(result.err, "could not be drawn: gaps\n"));
}

TEST_CASE("plot says what to install where Python or matplotlib is missing") {
  for (const char* python : {"/no/such/python", "/bin/false"}) {
    const ProgramResult result = plot({"/dev/null", "gaps"}, python);
    CHECK(result.exit_code == 1);
    CHECK(result.out.empty());
    CHECK(has(result.err, "python3-matplotlib"));
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  }
}

TEST_CASE(
    "plot refuses an unknown picture with the names of the others, and a file that is not there") {
  CHECK(has(plot({"/dev/null", "pie"}).err, "no picture pie; there are iterations, histogram"));
  CHECK(plot({"/dev/null", "pie"}).exit_code == 1);
  CHECK(has(plot({"/no/such/trace"}).err, "cannot read /no/such/trace"));
}
