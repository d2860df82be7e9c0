#include <sys/stat.h>

#include "analysis/model/dprof.h"
#include "libdeepprof/trace/chunk_scan.h"
#include "test/support/catch.h"
#include "test/trace/random_trace.h"
#include "test/trace/temporary_folder.h"
#include "test/trace/write_trace_file.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

constexpr uint64_t kCeiling = uint64_t{1} << 20;
constexpr uint64_t kEvents = 600'000;

uint64_t size_of(const std::string& path) {
  struct stat status;
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return static_cast<uint64_t>(status.st_size);
}

// Event i starts at i + 1, so that what is left can be told.
void append_events(TraceWriter& writer, uint64_t from, uint64_t to) {
  RandomTrace random(from + 1);
  for (uint64_t i = from; i < to; ++i) {
    Event event;
    Detail detail;
    detail.grid_x = static_cast<uint32_t>(i % 1000);
    event.set_kind(Kind::kernel, true);
    event.name = static_cast<NameId>(1 + i * 200 / kEvents);
    event.start_ns = static_cast<int64_t>(i + 1);
    event.set_duration(static_cast<int64_t>(random.below(UINT32_MAX)));
    if (i % (kEvents / 200) == 0)
      writer.define_name(event.name, "kernel " + std::to_string(event.name));
    writer.append(event, &detail);
  }
}

// The first and the newest are left, with a hole between them that says exactly what is missing.
void check_first_and_newest_survive(const LoadedDprof& loaded, uint64_t appended) {
  const Trace& trace = loaded.trace;
  CHECK(trace.losses[Loss::file_damaged] == 0);
  REQUIRE(!trace.ops.empty());
  const uint64_t let_go = trace.losses[Loss::segment_evicted];
  REQUIRE(trace.ops.size() + let_go == appended);
  REQUIRE(trace.holes.size() == (let_go > 0));
  size_t first = 0;
  for (size_t i = 0; i < trace.ops.size(); ++i) {
    const Op& op = trace.ops[i];
    const auto number = static_cast<uint64_t>(op.start_ns - 1);
    if (first == 0 && number != i) {
      first = i;
      CHECK(trace.holes[0].device == 0);
      CHECK(trace.holes[0].start_ns == static_cast<int64_t>(first + 1));
      CHECK(trace.holes[0].end_ns > static_cast<int64_t>(first + let_go));
    }
    REQUIRE(number == (first > 0 ? i + let_go : i));
    REQUIRE(trace.details[op.detail].grid_x == number % 1000);
    REQUIRE(trace.names[op.name] == "kernel " + std::to_string(1 + number * 200 / kEvents));
  }
  if (let_go == 0) return;
  CHECK(first > 0);
  CHECK(first < trace.ops.size() / 4);
}

}  // namespace

TEST_CASE(
    "a file at its ceiling keeps the first and the newest events and everything that is not an "
    "event") {
  const TemporaryFolder folder;
  const std::string path = folder / "t.dprof";
  auto writer = TraceWriter::create({path, kCeiling});
  REQUIRE(writer.ok());
  writer.value()->set_fact("host", "h");
  writer.value()->put_blob("statistics", "all of the run");
  for (uint64_t part = 0; part < 20; ++part) {
    append_events(*writer.value(), part * kEvents / 20, (part + 1) * kEvents / 20);
    writer.value()->flush();
    REQUIRE(size_of(path) <= kCeiling);
    const auto loaded = read_dprof(path);
    REQUIRE(loaded.ok());
    check_first_and_newest_survive(loaded.value(), (part + 1) * kEvents / 20);
  }
  writer.value()->finish();
  CHECK(size_of(path) <= kCeiling);

  const auto loaded = read_dprof(path);
  REQUIRE(loaded.ok());
  check_first_and_newest_survive(loaded.value(), kEvents);
  CHECK(loaded.value().complete);
  CHECK(loaded.value().notes.empty());
  CHECK(loaded.value().trace.process.host == "h");
  CHECK(loaded.value().trace.blobs.at("statistics") == "all of the run");
  CHECK(writer.value()->events_evicted() == loaded.value().trace.losses[Loss::segment_evicted]);
  // The room is used: at most a few segments of 32 stand empty.
  CHECK(size_of(path) > kCeiling * 9 / 10);
  for (NameId id = 1; id <= 200; ++id) { CHECK(loaded.value().trace.names.size() > id); }
}

TEST_CASE("steps of allocation that are let go or not written are counted as events are") {
  const TemporaryFolder folder;
  for (const uint64_t ceiling : {kCeiling, uint64_t{0}}) {
    const std::string path = folder / (std::to_string(ceiling) + ".dprof");
    auto writer = TraceWriter::create({path, ceiling});
    REQUIRE(writer.ok());
    RandomTrace random(9);
    constexpr uint64_t kSteps = 300'000;
    for (uint64_t i = 0; i < kSteps; ++i) {
      Allocation step;
      step.time_ns = static_cast<int64_t>(i);
      step.address = random.below(UINT64_MAX);
      step.bytes = random.below(UINT32_MAX);
      step.kind = AllocationKind::device;
      writer.value()->append_allocation(step);
    }
    writer.value()->finish();
    const auto loaded = read_dprof(path);
    REQUIRE(loaded.ok());
    const Trace& trace = loaded.value().trace;
    CHECK((trace.losses[Loss::segment_evicted] > 0) == (ceiling > 0));
    CHECK(trace.allocations.size() + trace.losses[Loss::segment_evicted] == kSteps);
    CHECK(loaded.value().notes.empty());
    Allocation late;
    late.kind = AllocationKind::device;
    writer.value()->append_allocation(late);
    CHECK(writer.value()->events_lost() == 1);
  }
}

TEST_CASE("a file at its ceiling that is cut at any place still tells only what was written") {
  const TemporaryFolder folder;
  const std::string path = folder / "t.dprof";
  auto writer = TraceWriter::create({path, kCeiling});
  REQUIRE(writer.ok());
  append_events(*writer.value(), 0, kEvents);
  writer.value()->finish();
  const Bytes whole = read_file(path);
  const size_t all_ops = kEvents - writer.value()->events_evicted();
  RandomTrace random(8);
  for (int round = 0; round < 40; ++round) {
    Bytes damaged = whole;
    if (round % 2 == 0) {
      damaged.resize(16 + random.below(whole.size() - 16));
    } else {
      std::fill_n(damaged.begin() + static_cast<ptrdiff_t>(16 + random.below(whole.size() - 5016)),
                  5000, uint8_t{0});
    }
    const auto loaded = read_dprof(MemorySource(damaged), "f.dprof");
    REQUIRE(loaded.ok());
    const Trace& trace = loaded.value().trace;
    // Damage to room that was free anyway costs nothing and is not mentioned.
    REQUIRE((!loaded.value().notes.empty() || trace.ops.size() == all_ops));
    for (const Op& op : trace.ops) {
      const auto number = static_cast<uint64_t>(op.start_ns - 1);
      const Detail& detail = trace.details[op.detail];
      REQUIRE((detail == Detail{} || detail.grid_x == number % 1000));
    }
  }
}

TEST_CASE("a file that does not say when its missing events ran still reads") {
  const TemporaryFolder folder;
  const std::string path = folder / "t.dprof";
  auto writer = TraceWriter::create({path, kCeiling});
  REQUIRE(writer.ok());
  append_events(*writer.value(), 0, kEvents);
  writer.value()->finish();
  // Writers of format 1.0 put no such chunk: theirs reads like one whose only such chunk is lost.
  Bytes older = read_file(path);
  size_t removed = 0;
  const auto scan = scan_chunks(MemorySource(older), "t.dprof");
  REQUIRE(scan.ok());
  for (const FoundChunk& chunk : scan.value().chunks) {
    if (chunk.header.type != ChunkType::let_go) continue;
    ChunkHeader header = chunk.header;
    header.type = ChunkType::free;
    encode(header, std::span(older).subspan(chunk.offset).first<kChunkHeaderBytes>());
    ++removed;
  }
  REQUIRE(removed == 1);
  const auto loaded = read_dprof(MemorySource(older), "t.dprof");
  REQUIRE(loaded.ok());
  CHECK(loaded.value().notes.empty());
  CHECK(loaded.value().trace.holes.empty());
  CHECK(loaded.value().trace.ops.size() + loaded.value().trace.losses[Loss::segment_evicted] ==
        kEvents);
}

TEST_CASE("a copy of a trace keeps its holes") {
  const TemporaryFolder folder;
  Trace trace;
  trace.names.intern("kernel");
  trace.ops.push_back({100, 10, 1, 1, 7, 0, kNone, 0, 0, 0, Kind::kernel});
  trace.holes = {{50, 90, 0}, {20, 60, kNone}, {200, 300, 0}};
  trace.finish();
  const auto loaded = read_dprof(write_trace_file(folder / "t.dprof", trace));
  REQUIRE(loaded.ok());
  CHECK(loaded.value().trace.losses[Loss::segment_evicted] == 0);
  REQUIRE(loaded.value().trace.holes.size() == 3);
  for (size_t i = 0; i < 3; ++i) {
    CHECK(loaded.value().trace.holes[i].start_ns == trace.holes[i].start_ns);
    CHECK(loaded.value().trace.holes[i].end_ns == trace.holes[i].end_ns);
    CHECK(loaded.value().trace.holes[i].device == trace.holes[i].device);
  }
}

TEST_CASE("the newest part of a file is its end, with what its ids mean") {
  const TemporaryFolder folder;
  const std::string path = folder / "t.dprof";
  auto writer = TraceWriter::create({path, 0});
  REQUIRE(writer.ok());
  writer.value()->set_fact("host", "h");
  append_events(*writer.value(), 0, kEvents);
  writer.value()->finish();
  const auto newest = read_dprof(path, {200'000});
  REQUIRE(newest.ok());
  CHECK(newest.value().notes.empty());
  CHECK(newest.value().trace.process.host == "h");
  CHECK(newest.value().trace.ops.size() < kEvents / 2);
  const Trace& trace = newest.value().trace;
  REQUIRE(!trace.ops.empty());
  for (size_t i = 0; i < trace.ops.size(); ++i) {
    const uint64_t number = kEvents - trace.ops.size() + i;
    REQUIRE(trace.ops[i].start_ns == static_cast<int64_t>(number + 1));
    REQUIRE(trace.details[trace.ops[i].detail].grid_x == number % 1000);
  }
  CHECK(read_dprof(path, {0}).value().trace.ops.empty());
}

TEST_CASE("a list of many losses is told of within the ceiling") {
  const TemporaryFolder folder;
  const std::string path = folder / "t.dprof";
  auto writer = TraceWriter::create({path, kCeiling});
  REQUIRE(writer.ok());
  constexpr uint64_t kParts = 60;
  for (uint64_t part = 0; part < kParts; ++part) {
    append_events(*writer.value(), part * kEvents / kParts, (part + 1) * kEvents / kParts);
    for (int64_t i = 0; i < 40; ++i) {
      const int64_t at_ns = (static_cast<int64_t>(part) * 40 + i) * 1'000;
      writer.value()->append_hole(3, at_ns, at_ns + 10);
    }
    writer.value()->flush();
    REQUIRE(size_of(path) <= kCeiling);
  }
  writer.value()->finish();
  CHECK(size_of(path) <= kCeiling);
  CHECK(read_dprof(path).value().notes.empty());
}
