// `deepprof top`: whose trace it finds, and one page of it.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "analysis/cli/top/running_job.h"
#include "analysis/model/dprof.h"
#include "test/cli/run_program.h"
#include "test/support/catch.h"
#include "test/trace/temporary_folder.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

// A job that runs: a loop of four kernels, not closed.
void write_loop(TraceWriter& writer) {
  writer.define_name(1, "gemm");
  for (int i = 0; i < 400; ++i) {
    Event event;
    event.set_kind(Kind::kernel, false);
    event.name = 1;
    event.start_ns = 1000 * (i + 1);
    event.set_duration(600);
    event.correlation = static_cast<uint32_t>(i + 1);
    writer.append(event, nullptr);
  }
  writer.flush();
}

ProgramResult top(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "top");
  return run_deepprof(std::move(arguments));
}

}  // namespace

TEST_CASE("the trace of a running job is found through the process, and through its launcher") {
  const bool own_descriptors = GENERATE(false, true);
  const TemporaryFolder folder;
  const std::string path = folder / "job.dprof";
  int opened[2];
  REQUIRE(::pipe(opened) == 0);
  const pid_t worker = ::fork();
  if (worker == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a check that fails must not leave it behind
    ::close(opened[0]);
    const auto hold_open = [&] {
      const int file = ::open(path.c_str(), O_CREAT | O_WRONLY, 0600);
      if (file >= 0 && ::write(opened[1], "x", 1) == 1) ::pause();
      ::_exit(1);
    };
    if (!own_descriptors) hold_open();
    std::thread([&] {  // as the library's
      ::prctl(PR_SET_NAME, "dp-drain");
      ::unshare(CLONE_FILES);
      hold_open();
    })
        .join();
  }
  ::close(opened[1]);
  char byte = 0;
  REQUIRE(::read(opened[0], &byte, 1) == 1);
  ::close(opened[0]);
  for (const pid_t asked : {worker, ::getpid()}) {
    const auto traces = traces_of_process(asked);
    REQUIRE(traces.ok());
    REQUIRE(traces->size() == 1);
    CHECK(traces->front().pid == worker);
    CHECK(traces->front().path == path);
    CHECK(traces->front().removed.empty());
  }
  // A file that was removed is read where the job still has it.
  REQUIRE(::unlink(path.c_str()) == 0);
  const auto removed = traces_of_process(worker);
  REQUIRE(removed.ok());
  CHECK(removed->front().removed == path);
  CHECK(::access(removed->front().path.c_str(), F_OK) == 0);
  ::kill(worker, SIGKILL);
  ::waitpid(worker, nullptr, 0);
  const auto none = traces_of_process(::getpid());
  REQUIRE_FALSE(none.ok());
  CHECK(has(std::string(none.status().message()), "deepprof run -- CMD"));
}

TEST_CASE("one page of a trace that is being written") {
  const TemporaryFolder folder;
  const std::string path = folder / "job.dprof";
  auto writer = TraceWriter::create({path, 0});
  REQUIRE(writer.ok());
  write_loop(*writer.value());
  const ProgramResult running = top({path, "--once"});
  INFO(running.out << running.err);
  CHECK(running.exit_code == 0);
  CHECK(has(running.out, "running, written"));
  CHECK(has(running.out, "400 GPU ops"));
  writer.value()->finish();
  CHECK(has(top({path}).out, "the job has ended"));  // no terminal: one page
}

TEST_CASE("what top cannot watch is said in one line") {
  for (const std::string pid : {"999999999", "0", "4294967297"}) {
    const ProgramResult no_process = top({pid, "--once"});
    CHECK(no_process.exit_code == 1);
    CHECK(has(no_process.err, "there is no process " + pid + "\n"));
  }
  const ProgramResult no_file = top({"/nonexistent/x.dprof", "--once"});
  CHECK(no_file.exit_code == 1);
  CHECK(has(no_file.err, "/nonexistent/x.dprof"));
}
