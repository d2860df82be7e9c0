// The genuine cuptiActivityGetNextRecord walks buffers that our replay filled, and comes to the
// same records as our own walk by probed strides.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <vector>

#include "libdeepprof/cupti/strides.h"
#include "test/end_to_end/jobs.h"
#include "test/support/catch.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

using NextRecord = int (*)(uint8_t*, size_t, void**);

std::vector<std::string> genuine_libraries() {
  const char* list = getenv("DEEPPROF_GENUINE_CUPTI");
  std::vector<std::string> paths;
  std::string text = list ? list : "";
  for (size_t from = 0; from < text.size();) {
    const size_t to = std::min(text.find(':', from), text.size());
    paths.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return paths;
}

// Whole buffers as the replay returned them.
std::vector<std::vector<uint8_t>> replayed_buffers(const std::string& cupti) {
  JobSpec spec = injected(cupti);
  const std::string folder = scratch_folder();
  spec.library = bare_client();
  spec.environment["BARE_CLIENT_DUMP"] = folder;
  spec.environment["FAKE_CUDA_ATEXIT"] = "before";
  require_unharmed(run_job(spec));
  std::vector<std::vector<uint8_t>> buffers;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    buffers.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return buffers;
}

std::vector<size_t> offsets_by(NextRecord next, std::vector<uint8_t>& buffer) {
  std::vector<size_t> offsets;
  void* record = nullptr;
  while (next(buffer.data(), buffer.size(), &record) == 0) {
    offsets.push_back(static_cast<size_t>(static_cast<uint8_t*>(record) - buffer.data()));
  }
  return offsets;
}

std::vector<size_t> offsets_by(const cupti::Strides& strides, const std::vector<uint8_t>& buffer) {
  std::vector<size_t> offsets;
  for (size_t at = 0; at + 4 <= buffer.size();) {
    uint32_t kind = 0;
    memcpy(&kind, buffer.data() + at, sizeof kind);
    const size_t stride = strides[kind];
    if (stride == 0 || at + stride > buffer.size()) break;
    offsets.push_back(at);
    at += stride;
  }
  return offsets;
}

}  // namespace

TEST_CASE("genuine CUPTI walks replayed buffers as we do") {
  // The API version that a genuine library reports, and the stand-in of the same record sizes.
  const std::map<uint32_t, std::string> stand_in_of = {
      {18, "11.8"}, {28, "12.9"}, {130000, "13.0"}, {130001, "13.0"}};
  int walked = 0;
  for (const std::string& path : genuine_libraries()) {
    INFO(path);
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library);
    uint32_t version = 0;
    reinterpret_cast<int (*)(uint32_t*)>(dlsym(library, "cuptiGetVersion"))(&version);
    const auto stand_in = stand_in_of.find(version);
    if (stand_in == stand_in_of.end()) continue;
    const auto next = reinterpret_cast<NextRecord>(dlsym(library, "cuptiActivityGetNextRecord"));
    const cupti::Strides strides = cupti::probe_strides(next);
    size_t records = 0;
    for (std::vector<uint8_t>& buffer : replayed_buffers(stand_in->second)) {
      const auto theirs = offsets_by(next, buffer), ours = offsets_by(strides, buffer);
      CHECK(theirs == ours);
      records += ours.size();
    }
    CHECK(records > 10'000);
    ++walked;
  }
  if (walked == 0)
    WARN("no genuine CUPTI that walks buffers without a driver: nothing was compared");
}
