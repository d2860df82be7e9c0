// Recorded traces through the writer: nothing changes, and the file is as small as promised.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "analysis/import/load.h"
#include "analysis/model/dprof.h"
#include "test/support/catch.h"
#include "test/trace/random_trace.h"
#include "test/trace/same_trace.h"
#include "test/trace/temporary_folder.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

constexpr size_t kLargeTrace = 10'000;  // events; names dominate in smaller ones
constexpr double kMostBytesPerEvent = 3.5, kMedianBytesPerEvent = 3.1;

std::vector<std::filesystem::path> recorded_traces() {
  const char* folder = std::getenv("DEEPPROF_CORPUS");
  std::vector<std::filesystem::path> paths;
  if (folder == nullptr || *folder == '\0') {
    WARN("DEEPPROF_CORPUS names no folder of recorded traces: their sizes are not checked");
    return paths;
  }
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(folder) / "traces")) {
    if (entry.path().string().ends_with(".json.gz")) paths.push_back(entry.path());
  }
  return paths;
}

// Context ids have no place in an Event, and no line_of() either.
Trace through_a_file(const Trace& trace, uint64_t& bytes) {
  const TemporaryFolder folder;
  auto writer = TraceWriter::create({folder / "t.dprof", 0});
  REQUIRE(writer.ok());
  write_trace(trace, *writer.value());
  writer.value()->finish();
  bytes = writer.value()->bytes_written();
  auto loaded = read_dprof(folder / "t.dprof");
  REQUIRE(loaded.ok());
  return std::move(loaded.value().trace);
}

bool has_nanoseconds(const Trace& trace) {
  return std::any_of(trace.ops.begin(), trace.ops.end(),
                     [](const Op& op) { return op.start_ns % 1000 != 0; });
}

}  // namespace

TEST_CASE(
    "recorded traces come back from a .dprof as they were imported, within 3.5 bytes an event") {
  std::vector<double> sizes;
  for (const auto& path : recorded_traces()) {
    auto imported = load_trace(path.string());
    REQUIRE(imported.ok());
    Trace trace = std::move(*imported);
    CAPTURE(path.filename().string());
    uint64_t bytes = 0;
    REQUIRE(lines_of(through_a_file(trace, bytes)) == lines_of(trace));

    // Framework ranges are no events, and a recording of a job has none. Their names are still
    // counted. Allocations are off by default.
    const size_t events = trace.ops.size() + trace.calls.size() + trace.overheads.size();
    if (events < kLargeTrace || !has_nanoseconds(trace)) continue;
    trace.ranges.clear();
    trace.samples.clear();
    trace.allocations.clear();
    trace.blobs.clear();
    through_a_file(trace, bytes);
    sizes.push_back(static_cast<double>(bytes) / static_cast<double>(events));
    CHECK(sizes.back() <= kMostBytesPerEvent);
  }
  if (sizes.empty()) return;
  std::sort(sizes.begin(), sizes.end());
  const double median = (sizes[(sizes.size() - 1) / 2] + sizes[sizes.size() / 2]) / 2;
  CHECK(median <= kMedianBytesPerEvent);
}
