#include "analysis/export/unfinished_file.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "analysis/export/sink.h"
#include "test/support/catch.h"
#include "test/trace/temporary_folder.h"

namespace deepprof::test {
namespace {

// How a child process ends that runs `body`, after which it would exit with code 0.
template <typename Body>
int status_of_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    // Not the test program's own handlers.
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) std::signal(number, SIG_DFL);
    body();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace

TEST_CASE("a signal that ends the command takes away the file that was not finished") {
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGKILL}) {
    const TemporaryFolder folder;
    const std::string path = folder / "half.csv";
    const int status = status_of_child([&] {
      Sink sink(path);
      sink.write(std::string(1'000'000, 'x'));
      std::filesystem::directory_iterator made(folder / "");
      if (made->path() == path || made->file_size() == 0) ::_exit(1);
      std::raise(number);
    });
    CAPTURE(number, status);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == number);
    CHECK_FALSE(std::filesystem::exists(path));
    CHECK((number == SIGKILL || std::filesystem::is_empty(folder / "")));
  }
}

TEST_CASE("what a killed process of the same number has left is in nobody's way") {
  const TemporaryFolder folder;
  const std::string path = folder / "t.csv",
                    left = folder / ("deepprof.tmp" + std::to_string(::getpid()));
  std::ofstream(left) << "half";
  Sink sink(path);
  sink.write("whole");
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK(sink.finish().ok());
  CHECK(std::filesystem::file_size(path) == 5);
  CHECK(std::filesystem::file_size(left) == 4);
}

TEST_CASE("a name as long as the file system allows is written, a longer one refused at once") {
  const TemporaryFolder folder;
  const std::string path = folder / std::string(255, 'n');
  Sink sink(path), longer(path + "n");
  sink.write("whole");
  CHECK(sink.finish().ok());
  CHECK(std::filesystem::file_size(path) == 5);
  CHECK(longer.finish().message().find("File name too long") != std::string::npos);
}

TEST_CASE("in a folder that is gone a file is refused in words") {
  const int status = status_of_child([] {
    {
      const TemporaryFolder folder;
      std::filesystem::current_path(folder / "");
    }
    Sink sink("t.csv");
    const std::string words(sink.finish().message());
    if (words.find("cannot create t.csv: No such file or directory") == std::string::npos)
      ::_exit(1);
  });
  CHECK(status == 0);
}

TEST_CASE("a file that got the name meanwhile stays, and the one that was made goes") {
  const TemporaryFolder folder;
  const std::string path = folder / "t.csv";
  Sink sink(path);
  sink.write("mine");
  std::ofstream(path) << "somebody's";
  CHECK_FALSE(sink.finish().ok());
  CHECK(std::filesystem::file_size(path) == 10);
  std::filesystem::directory_iterator left(folder / "");
  CHECK(++left == std::filesystem::directory_iterator());
}

TEST_CASE("a finished file stays, whatever signal comes then, and so does one that was there") {
  const TemporaryFolder folder;
  const std::string path = folder / "whole.csv";
  const int status = status_of_child([&] {
    Sink sink(path);
    sink.write("x");
    if (!sink.finish().ok()) ::_exit(1);
    Sink second(path);  // refused: the file is there
    std::raise(SIGTERM);
  });
  CHECK(WIFSIGNALED(status));
  CHECK(std::filesystem::file_size(path) == 1);
}

TEST_CASE("a signal that the command was started to ignore does not end it") {
  const TemporaryFolder folder;
  const std::string path = folder / "kept.csv";
  const int status = status_of_child([&] {
    std::signal(SIGHUP, SIG_IGN);
    Sink sink(path);
    sink.write("x");
    std::raise(SIGHUP);
    if (!sink.finish().ok()) ::_exit(1);
  });
  CHECK(status == 0);
  CHECK(std::filesystem::exists(path));
}

}  // namespace deepprof::test
