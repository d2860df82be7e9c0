#include <simdjson.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <random>

#include "analysis/export/exporter.h"
#include "analysis/export/overlap_levels.h"
#include "analysis/import/byte_stream.h"
#include "analysis/import/own_output.h"
#include "analysis/iterations/mine.h"
#include "analysis/report/sections.h"
#include "test/support/catch.h"
#include "test/support/trace_builder.h"
#include "test/trace/random_trace.h"
#include "test/trace/temporary_folder.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

std::string exported(const char* format, const Trace& trace, const Mined& mined = {}) {
  const TemporaryFolder folder;
  for (const auto& exporter : exporters()) {
    if (std::string(format) != exporter->name()) continue;
    Sink sink(folder / "out");
    const Table iterations = IterationRows(compute_figures(trace, mined), Names::raw).table();
    REQUIRE(exporter->write({trace, mined, &iterations}, sink).ok());
    REQUIRE(sink.finish().ok());
  }
  const Bytes bytes = read_file(folder / "out");
  return std::string(bytes.begin(), bytes.end());
}

// Names with everything that breaks JSON, ops that overlap on one stream, calls in calls.
Trace awkward_trace() {
  TraceBuilder t;
  t.range(RangeSource::annotation, "step \"1\"\n\x01", 0, 100);
  t.launch("cudaLaunch\\Kernel", 5, 9)
      .kernel("kernel<\"a\", '\\'>(\t\x9f)", 10, 20)
      .kernel("overlaps", 15, 30);
  t.call("inner", 6, 7).call("crosses", 8, 12);
  t.copy(CopyKind::host_to_device, 40, 50, 4096).overhead(60, 70);
  t.raw().samples.push_back({t.at(3), 350'000.5, t.raw().names.intern("gpu_power_mw"), 0});
  t.raw().samples.push_back({t.at(4), 7, t.raw().names.intern("cpu"), kNone});
  // What was given back had 1,536 bytes; 512 stay.
  t.raw().allocations.push_back(
      {t.at(5), 0x1000, 1536, 512, 0, 3, AllocationKind::device, AllocationStep::release});
  t.raw().allocations.push_back({t.at(6), 0x2000, 64, 64, 9, Allocation::kHost,
                                 AllocationKind::pinned, AllocationStep::allocate});
  return t.build();
}

struct Slice {
  int64_t start, end;  // in ns
};

// The X events by track, from exact decimal text.
std::map<std::pair<int64_t, int64_t>, std::vector<Slice>> slices_of(const std::string& json) {
  simdjson::dom::parser parser;
  std::map<std::pair<int64_t, int64_t>, std::vector<Slice>> slices;
  const auto ns = [](simdjson::dom::element value) {
    return static_cast<int64_t>(double(value) * 1000 + (double(value) < 0 ? -0.5 : 0.5));
  };
  simdjson::dom::element document = parser.parse(json);
  for (simdjson::dom::element event : simdjson::dom::array(document["traceEvents"])) {
    if (std::string_view(event["ph"]) != "X") continue;
    const int64_t start = ns(event["ts"]);
    slices[{event["pid"], event["tid"]}].push_back({start, start + ns(event["dur"])});
  }
  return slices;
}

// Reads from `bytes`, which outlive it; to be closed.
sqlite3* opened(std::string& bytes) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(":memory:", &database) == SQLITE_OK);
  REQUIRE(sqlite3_deserialize(database, "main", reinterpret_cast<unsigned char*>(bytes.data()),
                              static_cast<sqlite3_int64>(bytes.size()),
                              static_cast<sqlite3_int64>(bytes.size()),
                              SQLITE_DESERIALIZE_READONLY) == SQLITE_OK);
  return database;
}

int64_t query(sqlite3* database, const char* sql) {
  sqlite3_stmt* statement = nullptr;
  REQUIRE(sqlite3_prepare_v2(database, sql, -1, &statement, nullptr) == SQLITE_OK);
  REQUIRE(sqlite3_step(statement) == SQLITE_ROW);
  const int64_t value = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return value;
}

}  // namespace

TEST_CASE("intervals that overlap get levels of their own, and nested ones share where they may") {
  OverlapLevels strict;
  CHECK(strict.place(0, 10) == 0);
  CHECK(strict.place(5, 8) == 1);
  CHECK(strict.place(7, 20) == 2);
  CHECK(strict.place(10, 12) == 0);
  OverlapLevels nested(true);
  CHECK(nested.place(0, 10) == 0);
  CHECK(nested.place(5, 8) == 0);
  CHECK(nested.place(7, 20) == 1);
  CHECK(nested.place(8, 10) == 0);
  CHECK(nested.place(10, 30) == 0);
}

TEST_CASE("the Chrome export is JSON, whatever is in the names, and drops no slice") {
  const Trace trace = awkward_trace();
  size_t count = 0;
  for (const auto& [track, slices] : slices_of(exported("chrome", trace))) count += slices.size();
  CHECK(count ==
        trace.ops.size() + trace.calls.size() + trace.ranges.size() + trace.overheads.size());
}

TEST_CASE("no two slices of a Chrome track overlap without being nested") {
  TraceBuilder t(1);
  std::mt19937_64 random(5);
  int64_t now = 0;
  for (int i = 0; i < 3000; ++i) {
    now += static_cast<int64_t>(random() % 1000);
    t.stream(static_cast<uint32_t>(random() % 3))
        .kernel("k", now, now + static_cast<int64_t>(random() % 5000));
    t.call("c", now, now + static_cast<int64_t>(random() % 3000));
  }
  const Trace trace = t.build();
  size_t count = 0;
  for (auto [track, slices] : slices_of(exported("chrome", trace))) {
    count += slices.size();
    std::stable_sort(slices.begin(), slices.end(),
                     [](const Slice& a, const Slice& b) { return a.start < b.start; });
    std::vector<int64_t> open;
    for (const Slice& slice : slices) {
      while (!open.empty() && open.back() <= slice.start) open.pop_back();
      REQUIRE((open.empty() || slice.end <= open.back()));
      open.push_back(slice.end);
    }
  }
  CHECK(count == trace.ops.size() + trace.calls.size());
}

TEST_CASE("Chrome times are exact to the nanosecond") {
  TraceBuilder t(1);
  t.kernel("k", 123'456'789, 123'456'790);
  const std::string json = exported("chrome", t.build());
  CHECK(json.find("\"ts\":1123456.789,\"dur\":0.001") != std::string::npos);
}

TEST_CASE("what is allocated is a counter of the timeline for each device and kind") {
  const std::string json = exported("chrome", awkward_trace());
  CHECK(json.find("\"name\":\"allocated_bytes device GPU 3\"") != std::string::npos);
  CHECK(json.find("\"name\":\"allocated_bytes pinned host\"") != std::string::npos);
  CHECK(json.find("\"args\":{\"value\":512}") != std::string::npos);
  CHECK(exported("perfetto", awkward_trace()).find("allocated_bytes pinned host") !=
        std::string::npos);
}

TEST_CASE("each line of the JSON lines export is an object") {
  const Trace trace = awkward_trace();
  const std::string text = exported("jsonl", trace);
  simdjson::dom::parser parser;
  std::map<std::string, size_t> rows;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    REQUIRE(end != std::string::npos);
    simdjson::dom::element line = parser.parse(text.substr(at, end - at));
    ++rows[std::string(std::string_view(line["row"]))];
    at = end + 1;
  }
  CHECK(rows["op"] == trace.ops.size());
  CHECK(rows["call"] == trace.calls.size());
  CHECK(rows["range"] == 1);
  CHECK(text.find("\"tid\":100,\"thread\":0,\"source\":\"annotation\"") != std::string::npos);
  CHECK(rows["overhead"] == 1);
  CHECK(rows["sample"] == 2);
  CHECK(rows["allocation"] == trace.allocations.size());
}

TEST_CASE("the SQLite export answers queries") {
  const Trace trace = awkward_trace();
  std::string bytes = exported("sqlite", trace);
  sqlite3* database = opened(bytes);
  CHECK(query(database, "SELECT count(*) FROM op") == static_cast<int64_t>(trace.ops.size()));
  CHECK(query(database, "SELECT count(*) FROM call") == static_cast<int64_t>(trace.calls.size()));
  CHECK(query(database, "SELECT count(*) FROM sample") == 2);
  CHECK(query(database, "SELECT count(*) FROM range WHERE source = 'annotation'") == 1);
  CHECK(query(database,
              "SELECT in_use_bytes FROM allocation WHERE memory_kind = 'device' AND step = "
              "'release' AND device = 3") == 512);
  CHECK(query(database,
              "SELECT count(*) FROM allocation WHERE memory_kind = 'pinned' AND device IS NULL") ==
        1);
  CHECK(query(database,
              "SELECT sum(duration_ns) FROM op JOIN name ON op.name = name.id WHERE text = "
              "'overlaps'") == 15'000);
  CHECK(query(database, "SELECT payload_bytes FROM op WHERE kind = 'memcpy'") == 4096);
  CHECK(query(database,
              "SELECT count(*) FROM op JOIN call ON op.launch = call.id WHERE call.start_ns < "
              "op.start_ns") == 3);
  sqlite3_close(database);
}

TEST_CASE("the SQLite export says of an iteration what the list of iterations does") {
  TraceBuilder t;
  for (int step = 0; step < 8; ++step) {
    const int at = 100 * step + (step > 4 ? 80 : 0);
    t.launch("cudaMemcpyAsync", at, at + 1).copy(CopyKind::host_to_device, at + 1, at + 5);
    t.launch("cudaLaunchKernel", at + 2, at + 3).kernel("gemm", at + 10, at + 20);
    t.launch("cudaLaunchKernel", at + 4, at + 5).kernel("adamw_kernel", at + 20, at + 30);
    t.range(RangeSource::step, "ProfilerStep#" + std::to_string(step), at, at + 60);
  }
  const Trace trace = t.build();
  const Mined mined = mine(trace);
  std::string bytes = exported("sqlite", trace, mined);
  sqlite3* database = opened(bytes);
  CHECK(query(database, "SELECT count(*) FROM iteration WHERE kind = 'iteration'") == 8);
  CHECK(query(database,
              "SELECT count(*) FROM iteration WHERE partial = 'no' AND counted = 'yes'") == 7);
  CHECK(query(database, "SELECT number FROM iteration WHERE slow = 1") == 4);
  CHECK(query(database, "SELECT excess_ns FROM iteration WHERE slow = 1") == 80'000);
  CHECK(query(database,
              "SELECT number FROM iteration WHERE marked_step = 'ProfilerStep#6' AND section = "
              "'training' AND idle_ns > 0") == 6);
  sqlite3_close(database);
}

TEST_CASE("an export to SQLite that the disk does not take names the file") {
  Trace trace = RandomTrace(6).make(20'000, true);
  const TemporaryFolder folder;
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit small{64 * 1024, before.rlim_max};
  ::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  absl::Status written;
  {
    Sink sink(folder / "out");
    const Table none = IterationRows(compute_figures(trace, Mined{}), Names::raw).table();
    written = make_sqlite_exporter()->write({trace, Mined{}, &none}, sink);
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, SIG_DFL);
  CHECK_FALSE(written.ok());
  CHECK(std::string(written.message()).find("/deepprof.") != std::string::npos);
}

TEST_CASE("what any exporter wrote is told as such by who reads traces") {
  for (const auto& exporter : exporters()) {
    INFO(exporter->name());
    const std::string content = exported(exporter->name(), awkward_trace());
    CHECK(writer_of_own_output(content) == std::string("deepprof export --to ") + exporter->name());
  }
}

TEST_CASE("a random trace goes through every exporter") {
  const Trace trace = RandomTrace(6).make(2000, true);
  for (const char* format : {"csv", "jsonl", "sqlite", "perfetto", "chrome"}) {
    CAPTURE(format);
    CHECK(exported(format, trace).size() > 1000);
  }
}

namespace {

// What the readers of compressed traces make of it.
std::string unpacked(const std::string& path) {
  auto source = open_source(path);
  REQUIRE(source.ok());
  std::string text;
  std::vector<char> buffer(100'000);
  for (;;) {
    const auto got = (*source)->read(buffer.data(), buffer.size());
    REQUIRE(got.ok());
    if (*got == 0) return text;
    text.append(buffer.data(), *got);
  }
}

}  // namespace

TEST_CASE("an output whose name ends in .gz is compressed, and holds the same bytes") {
  const TemporaryFolder folder;
  const Trace trace = RandomTrace(6).make(5000, true);
  for (const auto& exporter : exporters()) {
    CAPTURE(exporter->name());
    const std::string plain = folder / exporter->name(), packed = plain + ".gz";
    for (const std::string& path : {plain, packed}) {
      Sink sink(path);
      REQUIRE(exporter->write({trace, Mined{}}, sink).ok());
      REQUIRE(sink.finish().ok());
    }
    const Bytes bytes = read_file(plain);
    CHECK(unpacked(packed) == std::string(bytes.begin(), bytes.end()));
    CHECK(read_file(packed).size() < bytes.size() / 2);
  }
}

TEST_CASE("an empty output that ends in .gz is a whole gzip file") {
  const TemporaryFolder folder;
  Sink sink(folder / "empty.gz");
  REQUIRE(sink.finish().ok());
  const Bytes bytes = read_file(folder / "empty.gz");
  REQUIRE(bytes.size() >= 18);  // header, an empty block, checksum and length
  CHECK(bytes[0] == 0x1F);
  CHECK(std::all_of(bytes.end() - 8, bytes.end(), [](auto byte) { return byte == 0; }));
}

TEST_CASE("a kernel that moves data has its size in the exports, others have none") {
  TraceBuilder t;
  t.kernel("ncclDevKernel_AllReduce", 0, 10);
  Detail detail;
  detail.bytes = 4096;
  t.raw().details.push_back(detail);
  t.raw().ops.back().detail = 1;
  t.kernel("gemm", 20, 30);
  const Trace trace = t.build();
  const std::string rows = exported("csv", trace), lines = exported("jsonl", trace);
  CHECK(rows.find(",4096,ncclDevKernel_AllReduce\n") != std::string::npos);
  CHECK(rows.find(",,gemm\n") != std::string::npos);
  CHECK(lines.find("\"payload_bytes\":4096") != std::string::npos);
}
