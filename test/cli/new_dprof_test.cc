#include "analysis/cli/new_dprof.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "test/support/catch.h"
#include "test/trace/temporary_folder.h"

namespace deepprof::test {
namespace {

Trace trace_of(size_t ops) {
  Trace trace;
  const NameId name = trace.names.intern("kernel");
  for (size_t i = 0; i < ops; ++i) {
    Op op;
    op.start_ns = 1'000'000'000 + static_cast<int64_t>(i * i % 1'000'003);
    op.duration_ns = 1;
    op.name = name;
    op.kind = Kind::kernel;
    trace.ops.push_back(op);
  }
  return trace;
}

// Ended by the signal as soon as there is something in its folder.
int write_and_end(const Trace& trace, const std::string& path, int signal) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGTERM, SIG_DFL);  // not the test program's own handler
    ::_exit(write_new_dprof(trace, path).ok() ? 0 : 1);
  }
  int status = 0;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  while (std::filesystem::is_empty(folder) && ::waitpid(child, &status, WNOHANG) == 0)
    ::usleep(200);
  if (::kill(child, signal) == 0) ::waitpid(child, &status, 0);
  return status;
}

}  // namespace

TEST_CASE("a signal that ends an import takes away what is written of it") {
  const TemporaryFolder folder;
  const std::string path = folder / "t.dprof";
  const Trace trace = trace_of(1'000'000);
  bool taken_away = false;
  // On a busy machine the signal may come when the file is whole.
  for (int i = 0; i < 20 && !taken_away; ++i) {
    std::filesystem::remove(path);
    taken_away = WIFSIGNALED(write_and_end(trace, path, SIGTERM)) &&
                 std::filesystem::is_empty(std::filesystem::path(path).parent_path());
  }
  CHECK(taken_away);
}

TEST_CASE("an import that is killed leaves no file under its name, and the next one works") {
  const TemporaryFolder folder;
  const std::string path = folder / "t.dprof";
  const Trace trace = trace_of(1'000'000);
  bool killed = false;
  for (int i = 0; i < 20 && !killed; ++i) {
    std::filesystem::remove_all(folder / "");
    std::filesystem::create_directory(folder / "");
    killed = WIFSIGNALED(write_and_end(trace, path, SIGKILL)) && !std::filesystem::exists(path);
  }
  CHECK(killed);
  CHECK(write_new_dprof(trace_of(10), path).ok());
  CHECK_FALSE(write_new_dprof(trace_of(10), path).ok());
}

}  // namespace deepprof::test
