#include "inject/output.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "inject/neighbours.h"
#include "inject/notice.h"
#include "libdeepprof/trace/output_file.h"
#include "test/support/catch.h"

namespace deepprof {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    char path[] = "/tmp/deepprof_output_XXXXXX";
    path_ = mkdtemp(path);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string content(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

}  // namespace

TEST_CASE("files are named for host and process, and for the rank where there is one") {
  Options options;
  options.output = "/data";
  const std::string stem = "/data/deepprof." + host_name() + "." + std::to_string(getpid());
  CHECK(output_stem(options, Rank{}) == stem);
  CHECK(output_stem(options, Rank{3, 8}) == stem + ".rank3");
}

TEST_CASE("a pattern is filled in, other percent signs stay") {
  Options options;
  options.output = "/data/run-%h-%p-%r-100%.dprof";
  CHECK(output_stem(options, Rank{2, 4}) ==
        "/data/run-" + host_name() + "-" + std::to_string(getpid()) + "-2-100%");
}

TEST_CASE(
    "where the job's limit of open files leaves no room, nothing is left behind, and stderr still "
    "hears of it") {
  const Folder folder;
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    ::close(STDIN_FILENO);  // the number that the file gets at first
    const rlimit three{3, 3};
    ::setrlimit(RLIMIT_NOFILE, &three);
    const bool written = write_whole_file(folder / "report", "text").ok();
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_NOFILE, &none);
    notice("heard");
    ::_exit(written ? 1 : 0);
  }
  ::close(ends[1]);
  char heard[64] = "";
  const ssize_t length = ::read(ends[0], heard, sizeof heard);
  ::close(ends[0]);
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(std::string(heard, static_cast<size_t>(std::max<ssize_t>(0, length))) ==
        "deepprof: heard\n");
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("a relative folder is taken from where the job stood when it started") {
  Options options;
  options.output = "here";
  CHECK(output_stem(options, Rank{}).substr(0, 1) == "/");
}

TEST_CASE("the folder is made, the file is private, and a second one gets a number") {
  Folder folder;
  Options options;
  options.output = folder / "new/deeper";
  const auto first = create_output(options, Rank{});
  const auto second = create_output(options, Rank{});
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first.value().trace_path == output_stem(options, Rank{}) + ".dprof");
  CHECK(first.value().report_path == output_stem(options, Rank{}) + ".report.txt");
  CHECK(second.value().trace_path == output_stem(options, Rank{}) + ".1.dprof");
  CHECK(second.value().report_path == output_stem(options, Rank{}) + ".1.report.txt");
  struct stat info {};
  REQUIRE(stat(first.value().trace_path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
}

TEST_CASE("a folder that cannot be made is one sentence with its name") {
  Options options;
  options.output = "/proc/self/deepprof";
  const auto output = create_output(options, Rank{});
  REQUIRE_FALSE(output);
  CHECK(output.error().find("/proc/self/deepprof") != std::string::npos);
}

TEST_CASE("creating the trace file takes no descriptor") {
  Folder folder;
  const int next = dup(STDERR_FILENO);
  close(next);
  const auto file = OutputFile::create(folder / "trace.dprof");
  REQUIRE(file);
  const int still_next = dup(STDERR_FILENO);
  close(still_next);
  CHECK(still_next == next);
  CHECK_FALSE(OutputFile::create(folder / "trace.dprof"));  // never an existing one
}

TEST_CASE(
    "where the job has closed the trace's descriptor and reused it, the file is opened anew") {
  Folder folder;
  auto file = OutputFile::create(folder / "trace.dprof");
  REQUIRE(file);
  const int next = dup(STDERR_FILENO);  // the number that the trace file will get
  REQUIRE(next >= 0);
  close(next);
  const uint8_t bytes[] = {'a', 'b', 'c'};
  REQUIRE(file.value().write_at(0, bytes) == 0);
  const std::string jobs_file = folder / "checkpoint.pt";
  REQUIRE(close(next) == 0);
  const int reused = open(jobs_file.c_str(), O_RDWR | O_CREAT, 0600);
  REQUIRE(reused == next);
  CHECK(file.value().write_at(3, bytes) == 0);
  CHECK(content(folder / "trace.dprof") == "abcabc");
  CHECK(content(jobs_file).empty());
  CHECK(write(reused, "x", 1) == 1);  // and it is still open
  close(reused);
}

TEST_CASE("a file that has taken the trace's place is never written to") {
  Folder folder;
  const std::string path = folder / "trace.dprof";
  auto file = OutputFile::create(path);
  REQUIRE(file);
  std::ofstream(folder / "other") << "text";
  fs::rename(folder / "other", path);
  const uint8_t bytes[] = {1, 2, 3};
  CHECK(file.value().write_at(0, bytes) == ESTALE);
  file.value().truncate(0);
  CHECK(content(path) == "text");
}

TEST_CASE("a report never replaces a file that is there") {
  Folder folder;
  const std::string path = folder / "report.txt";
  std::ofstream(path) << "old";
  const auto written = write_whole_file(path, "new");
  REQUIRE(written);
  CHECK(written.value() == path + ".1");
  CHECK(content(path) == "old");
  CHECK(content(path + ".1") == "new");
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder.path())) ++files;
  CHECK(files == 2);  // no temporary file is left
}

TEST_CASE("a temporary file that another process left behind does not cost the report") {
  Folder folder;
  const std::string path = folder / "report.txt";
  std::ofstream(path + ".tmp" + std::to_string(getpid())) << "of a process of the same number";
  REQUIRE(write_whole_file(path, "text"));
  CHECK(content(path) == "text");
}

TEST_CASE("a file that is there to be replaced is replaced whole") {
  Folder folder;
  const std::string path = folder / "metrics.prom";
  REQUIRE(replace_whole_file(path, "old"));
  REQUIRE(replace_whole_file(path, "new"));
  CHECK(content(path) == "new");
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
  CHECK_FALSE(replace_whole_file("/proc/self/no/metrics", "text"));
}

TEST_CASE("a report that cannot be written is an error and leaves nothing behind") {
  const auto written = write_whole_file("/proc/self/no/report.txt", "text");
  REQUIRE_FALSE(written);
  CHECK(written.error().find("/proc/self/no/report.txt: ") == 0);  // not the name it is made under
}

TEST_CASE("tools that hold the process are known by the variables they set") {
  const char* nsys[] = {"PATH=/bin", "NSYS_PROFILING_SESSION_ID=42", nullptr};
  const char* ncu[] = {"NV_NSIGHT_INJECTION_TRANSPORT_TYPE=1", nullptr};
  const char* none[] = {"NSYS_HOME=/opt/nsys", "CUDA_VISIBLE_DEVICES=0", nullptr};
  CHECK(other_tool(nsys) == "Nsight Systems");
  CHECK(other_tool(ncu) == "Nsight Compute");
  CHECK(other_tool(none).empty());
}

}  // namespace deepprof
