#include "libdeepprof/cupti/library.h"

#include <algorithm>
#include <cstdlib>

#include "test/support/catch.h"

namespace deepprof::cupti {
namespace {

std::vector<std::string> paths(const std::string& chosen, int driver_version) {
  std::vector<std::string> paths;
  for (const Candidate& candidate : libcupti_candidates(chosen, driver_version))
    paths.push_back(candidate.path);
  return paths;
}

bool has(const std::vector<std::string>& paths, const std::string& path) {
  return std::find(paths.begin(), paths.end(), path) != paths.end();
}

}  // namespace

TEST_CASE("the libcupti that was chosen is the only one that is tried") {
  CHECK(paths("/a/libcupti.so.12", 13000) == std::vector<std::string>{"/a/libcupti.so.12"});
}

TEST_CASE("no libcupti is tried that is newer than the driver") {
  const std::vector<std::string> old = paths("", 12090), young = paths("", 13000);
  CHECK(has(old, "libcupti.so.12"));
  CHECK(std::none_of(old.begin(), old.end(), [](const std::string& path) {
    return path.find(".so.13") != std::string::npos;
  }));
  CHECK(has(young, "libcupti.so.13"));
  CHECK(has(young, "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13"));
}

TEST_CASE("CUDA_HOME is tried where it is a path, after the dynamic linker") {
  ::setenv("CUDA_HOME", "/opt/cuda", 1);
  const std::vector<std::string> found = paths("", 13000);
  const auto of_linker = std::find(found.begin(), found.end(), "libcupti.so.13");
  const auto of_home =
      std::find(found.begin(), found.end(), "/opt/cuda/extras/CUPTI/lib64/libcupti.so.13");
  CHECK(of_home != found.end());
  CHECK(of_linker < of_home);
  ::setenv("CUDA_HOME", "cuda", 1);
  CHECK_FALSE(has(paths("", 13000), "cuda/lib64/libcupti.so.13"));
  ::unsetenv("CUDA_HOME");
}

}  // namespace deepprof::cupti
