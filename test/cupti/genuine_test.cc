// Against the CUPTI libraries that are installed. Their record walker and their names for calls
// work without a driver.
#include <dlfcn.h>

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "analysis/import/cupti_call_names.h"
#include "libdeepprof/cupti/api_call_name.h"
#include "libdeepprof/cupti/decoder.h"
#include "libdeepprof/cupti/strides.h"
#include "libdeepprof/event/api_calls.h"
#include "test/cupti/record_buffer.h"
#include "test/support/catch.h"

namespace deepprof::cupti {
namespace {

struct Genuine {
  std::string path;
  Api api;
  uint32_t version = 0;
};

// Each release is loaded beside the others, never unloaded.
const std::vector<Genuine>& genuine_releases() {
  static const std::vector<Genuine> releases = [] {
    std::vector<Genuine> found;
    const char* list = std::getenv("DEEPPROF_GENUINE_CUPTI");
    std::string paths = list == nullptr ? "" : list;
    for (size_t from = 0; from < paths.size();) {
      const size_t to = std::min(paths.find(':', from), paths.size());
      Genuine release;
      release.path = paths.substr(from, to - from);
      from = to + 1;
      void* library = dlopen(release.path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library == nullptr) {
        WARN("cannot load " << dlerror());
        continue;
      }
      release.api.get_version =
          reinterpret_cast<ResultCode (*)(uint32_t*)>(dlsym(library, "cuptiGetVersion"));
      release.api.get_next_record =
          reinterpret_cast<GetNextRecord>(dlsym(library, "cuptiActivityGetNextRecord"));
      release.api.get_callback_name =
          reinterpret_cast<ResultCode (*)(uint32_t, uint32_t, const char**)>(
              dlsym(library, "cuptiGetCallbackName"));
      release.api.get_version(&release.version);
      found.push_back(release);
    }
    if (found.empty()) WARN("no genuine CUPTI is installed: nothing to compare with");
    return found;
  }();
  return releases;
}

// The releases that answer without a driver: 13.4 does not.
std::vector<Genuine> releases_that_answer() {
  std::vector<Genuine> walking;
  for (const Genuine& release : genuine_releases()) {
    if (probe_strides(RecordWalker(release.api.get_next_record))[1] != 0)
      walking.push_back(release);
  }
  return walking;
}

constexpr ActivityKind kDecoded[] = {ActivityKind::memcpy,          ActivityKind::memset,
                                     ActivityKind::kernel,          ActivityKind::driver,
                                     ActivityKind::runtime,         ActivityKind::concurrent_kernel,
                                     ActivityKind::overhead,        ActivityKind::memcpy2,
                                     ActivityKind::synchronization, ActivityKind::graph_trace};

}  // namespace

TEST_CASE("every kind that we decode has a readable size in every installed CUPTI") {
  for (const Genuine& release : releases_that_answer()) {
    INFO(release.path);
    const Strides strides = probe_strides(RecordWalker(release.api.get_next_record));
    for (const ActivityKind kind : kDecoded) {
      INFO("kind " << static_cast<uint32_t>(kind));
      CHECK(strides.readable(static_cast<uint32_t>(kind)));
    }
    CHECK(strides[kKindLimit - 1] == 0);
  }
}

TEST_CASE("the probe finds the record sizes that each release is known to write") {
  struct Known {
    uint32_t version;
    size_t kernel, memcpy, sync, overhead, graph;
  };
  constexpr Known kKnown[] = {{18, 200, 88, 40, 40, 48},
                              {22, 208, 88, 40, 56, 56},
                              {28, 208, 96, 56, 56, 56},
                              {130001, 216, 96, 56, 56, 56}};
  for (const Genuine& release : releases_that_answer()) {
    for (const Known& known : kKnown) {
      if (known.version != release.version) continue;
      INFO(release.path);
      const Strides strides = probe_strides(RecordWalker(release.api.get_next_record));
      CHECK(strides[10] == known.kernel);
      CHECK(strides[1] == known.memcpy);
      CHECK(strides[38] == known.sync);
      CHECK(strides[17] == known.overhead);
      CHECK(strides[51] == known.graph);
    }
  }
}

TEST_CASE("the genuine walker steps over our buffers exactly as our decoder does") {
  for (const Genuine& release : releases_that_answer()) {
    INFO(release.path);
    const Strides strides = probe_strides(RecordWalker(release.api.get_next_record));
    test::RecordBuffer buffer(strides);
    for (int round = 0; round < 3; ++round) {
      for (const ActivityKind kind : kDecoded) buffer.add(kind);
    }
    std::vector<uint8_t>& bytes = buffer.bytes();
    size_t theirs = 0;
    void* record = nullptr;
    while (release.api.get_next_record(bytes.data(), bytes.size(), &record) == kSuccess) ++theirs;

    DefinitionLog log;
    LossCounters losses;
    NameInterner names(log, losses, 4096);
    CallFilter filter;
    Decoder decoder(strides, release.api, filter, names, log, losses);
    const size_t ours =
        decoder.decode(bytes.data(), bytes.size(), [](const Event&, const Detail*) {});
    CHECK(ours == theirs);
    CHECK(ours == 30);
  }
}

TEST_CASE("our table of calls agrees with the names of every installed CUPTI") {
  for (const Genuine& release : releases_that_answer()) {
    INFO(release.path);
    size_t compared = 0;
    for (const bool runtime : {true, false}) {
      for (const ApiCall& call : runtime ? runtime_calls() : driver_calls()) {
        const char* name = nullptr;
        const uint32_t domain = runtime ? kDomainRuntime : kDomainDriver;
        if (release.api.get_callback_name(domain, call.cbid, &name) != kSuccess || name == nullptr)
          continue;
        std::string theirs = name;
        if (runtime) theirs = theirs.substr(0, theirs.rfind("_v"));
        // CUDA 12 had this one beside its older form, CUDA 13 has it alone.
        if (const size_t at = theirs.find("cudaMemPrefetchAsync_v2"); at == 0) theirs.erase(20, 3);
        if (theirs.rfind("__", 0) == 0) theirs.erase(0, 2);  // what the compiler calls, not people
        CHECK(theirs == call.name);
        ++compared;
      }
    }
    CHECK(compared > 200);
  }
}

TEST_CASE(
    "the names of all calls, for files that hold their ids, agree with every installed CUPTI") {
  const auto without_forms = [](std::string name) {
    for (size_t at; (at = name.find("_v")) != std::string::npos;)
      name.erase(at, name.find_first_not_of("0123456789", at + 2) - at);
    return name;
  };
  for (const Genuine& release : releases_that_answer()) {
    INFO(release.path);
    for (const bool runtime : {true, false}) {
      size_t same = 0, differ = 0;
      for (uint32_t cbid = 1; cbid < 1000; ++cbid) {
        const char* name = nullptr;
        const uint32_t domain = runtime ? kDomainRuntime : kDomainDriver;
        if (release.api.get_callback_name(domain, cbid, &name) != kSuccess || name == nullptr)
          break;
        const std::string theirs = without_forms(name);
        if (theirs.find("reserved") == 0 || theirs.find("INVALID") != std::string::npos) continue;
        const std::string ours(cupti_call_name(runtime, cbid));
        ++(without_forms(ours) == theirs ? same : differ);
      }
      CHECK(same > 400);
      CHECK(differ == 0);
    }
  }
}

TEST_CASE("a call outside our table is named by CUPTI, and numbered where CUPTI cannot") {
  CHECK(api_call_name(Api{}, true, 999'999) == "runtime call 999999");
  for (const Genuine& release : releases_that_answer()) {
    INFO(release.path);
    CHECK(api_call_name(release.api, true, 3) == "cudaGetDeviceCount");
    CHECK(api_call_name(release.api, false, 999'999) == "driver call 999999");
  }
}

}  // namespace deepprof::cupti
