#include "libdeepprof/sample/step_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "test/sample/sampled.h"
#include "test/support/catch.h"
#include "test/trace/temporary_folder.h"

namespace deepprof {
namespace {

using test::Sampled;

constexpr uint32_t kOptimizer = 3;

void append_step(const std::string& path) {
  const std::array<int64_t, 3> step{1'000, 1'500, kOptimizer};
  std::ofstream(path, std::ios::app | std::ios::binary)
      .write(reinterpret_cast<const char*>(step.data()), sizeof step);
}

}  // namespace

TEST_CASE(
    "steps are taken from a file that the source makes, in place of what a killed process left") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "steps";
  append_step(path);
  const auto source = make_step_source(path);
  Sampled sampled;
  sampled.ask(*source);
  CHECK(sampled.count(Metric::optimizer_step, kOptimizer) == 0);
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  append_step(path);
  append_step(path);
  sampled.ask(*source);
  CHECK(sampled.count(Metric::optimizer_step, kOptimizer) == 2);
  CHECK(sampled.values.at({Metric::optimizer_step, kOptimizer})[0].value == 500);
}

TEST_CASE("a FIFO or a link in place of the file is left alone and blocks nothing") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "steps";
  const auto source = make_step_source(path);
  Sampled sampled;
  sampled.ask(*source);
  ::unlink(path.c_str());
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  sampled.ask(*source);
  ::unlink(path.c_str());
  append_step(folder / "other");
  REQUIRE(::symlink((folder / "other").c_str(), path.c_str()) == 0);
  sampled.ask(*source);
  CHECK(sampled.count(Metric::optimizer_step, kOptimizer) == 0);
}

TEST_CASE("steps are n/a with a reason where no file can be made") {
  const test::TemporaryFolder folder;
  const auto source = make_step_source(folder / "missing/steps");
  Sampled sampled;
  sampled.ask(*source);
  CHECK(sampled.facts.at("na.optimizer_step_ns") == "cannot create " + (folder / "missing/steps"));
}

}  // namespace deepprof
