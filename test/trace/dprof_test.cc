#include "analysis/model/dprof.h"

#include <sys/stat.h>

#include "test/support/catch.h"
#include "test/support/trace_builder.h"
#include "test/trace/random_trace.h"
#include "test/trace/same_trace.h"
#include "test/trace/temporary_folder.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

LoadedDprof load(const std::string& path) {
  Result<LoadedDprof> loaded = read_dprof(path);
  if (!loaded.ok()) FAIL(loaded.error());
  return std::move(loaded).value();
}

std::unique_ptr<TraceWriter> create(const std::string& path, uint64_t ceiling = 0) {
  auto writer = TraceWriter::create({path, ceiling});
  REQUIRE(writer.ok());
  return std::move(writer).value();
}

LoadedDprof round_trip(const Trace& trace) {
  const TemporaryFolder folder;
  const auto writer = create(folder / "t.dprof");
  write_trace(trace, *writer);
  writer->finish();
  REQUIRE(writer->error().empty());
  return load(folder / "t.dprof");
}

}  // namespace

TEST_CASE("a trace that is written and read back says the same") {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    RandomTrace random(seed);
    const Trace trace = random.make(seed * 40, seed % 2 == 0);
    const LoadedDprof loaded = round_trip(trace);
    CAPTURE(seed);
    REQUIRE(lines_of(loaded.trace) == lines_of(trace));
    REQUIRE(loaded.notes.empty());
    REQUIRE(loaded.complete);
  }
}

TEST_CASE("ops of devices that the file has no room for are counted, not given to another") {
  TraceBuilder t;
  t.device(255).launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 20);
  t.device(256).launch("cudaLaunchKernel", 30, 35).kernel("b", 40, 50);
  const Trace trace = round_trip(t.build()).trace;
  REQUIRE(trace.ops.size() == 1);
  CHECK(trace.names[trace.ops[0].name] == "a");
  CHECK(trace.losses[Loss::decode_refused] == 1);
}

TEST_CASE("blocks beyond the first keep their rows, their order and their details") {
  RandomTrace random(99);
  const Trace trace = random.make(90'000, true);
  const LoadedDprof loaded = round_trip(trace);
  REQUIRE(lines_of(loaded.trace) == lines_of(trace));
}

TEST_CASE("overruns are dropped from what was recorded here, not by this reader from imports") {
  for (const char* source : {"deepprof 1.0", "Nsight Systems"}) {
    TraceBuilder t;
    t.kernel("runs on", 10, 3'000'000).kernel("next", 20, 30);
    t.raw().process.source = source;
    const Trace trace = round_trip(t.build()).trace;
    const bool ours = trace.process.source == "deepprof 1.0";
    CAPTURE(source);
    CHECK(trace.ops.size() == (ours ? 1 : 2));
    CHECK(trace.losses[Loss::bad_timestamp] == (ours ? 1 : 0));
  }
}

TEST_CASE("threads, devices, facts, losses and the clock come back") {
  const Trace trace = RandomTrace(3).make(10, false);
  const Trace back = round_trip(trace).trace;
  REQUIRE(back.threads.size() == 3);
  CHECK(back.threads[1].tid == UINT64_MAX);
  CHECK(back.threads[2].pid == UINT32_MAX);
  CHECK(back.threads[2].name == "worker");
  REQUIRE(back.devices.size() == 2);
  CHECK(back.devices[0].name == "A GPU");
  CHECK(back.devices[0].memory_bytes == uint64_t{141} << 30);
  CHECK(back.devices[0].max_threads_per_sm == 2048);
  CHECK(back.process.host == "host.example");
  CHECK(back.process.pid == 4711);
  CHECK(back.process.rank == 3);
  CHECK(back.process.world_size == 8);
  CHECK(back.process.command_line == trace.process.command_line);
  CHECK(back.process.facts == trace.process.facts);
  CHECK(back.losses[Loss::ring_full] == 12);
  CHECK(back.clock_base_ns == -5);
}

TEST_CASE("a wait keeps both its stream and its thread") {
  Trace trace;
  trace.threads = {{1, 1, ""}, {1, 2, ""}};
  trace.calls.push_back({5, 6, 7, trace.names.intern("Stream Synchronize"), 1, 20, 0, Kind::sync});
  trace.calls.push_back(
      {9, 6, 8, trace.names.intern("Device Synchronize"), kNone, kNone, 0, Kind::sync});
  const Trace back = round_trip(trace).trace;
  REQUIRE(back.calls.size() == 2);
  CHECK(back.calls[0].thread == 1);
  CHECK(back.calls[0].stream == 20);
  CHECK(back.calls[1].thread == kNone);
  CHECK(back.calls[1].stream == kNone);
}

TEST_CASE("events with negative and zero times are stored as they are") {
  const TemporaryFolder folder;
  const auto writer = create(folder / "t.dprof");
  writer->define_name(1, "call");
  Event event;
  event.set_kind(Kind::api_call, false);
  event.name = 1;
  // beyond it Trace::finish() takes them for faults
  constexpr int64_t kFarthest = INT64_MAX / 2 - 1;
  for (const int64_t start : {-kFarthest, int64_t{-1}, int64_t{0}, kFarthest}) {
    event.start_ns = start;
    writer->append(event, nullptr);
  }
  writer->finish();
  const Trace trace = load(folder / "t.dprof").trace;
  REQUIRE(trace.calls.size() == 4);
  CHECK(trace.calls[0].start_ns == -kFarthest);
  CHECK(trace.calls[1].start_ns == -1);
  CHECK(trace.calls[2].start_ns == 0);
  CHECK(trace.calls[3].start_ns == kFarthest);
}

TEST_CASE("rows of one correlation id come back whole, in any order of arrival") {
  const TemporaryFolder folder;
  const auto writer = create(folder / "t.dprof");
  writer->define_name(1, "k");
  Event event;
  event.set_kind(Kind::kernel, false);
  event.name = 1;
  event.set_duration(10);
  for (int i = 0; i < 5000; ++i) {
    event.start_ns = 1'000'000 - i * 100;
    event.correlation = i % 3 == 0 ? 7 : static_cast<uint32_t>(0 - i);
    event.graph_node = static_cast<uint32_t>(i);
    writer->append(event, nullptr);
  }
  writer->finish();
  const Trace trace = load(folder / "t.dprof").trace;
  REQUIRE(trace.ops.size() == 5000);
  for (size_t i = 0; i < trace.ops.size(); ++i) {
    const uint32_t arrival = 4999 - static_cast<uint32_t>(i);
    REQUIRE(trace.ops[i].start_ns == 1'000'000 - int64_t{arrival} * 100);
    REQUIRE(trace.ops[i].graph_node == arrival);
    REQUIRE(trace.ops[i].correlation == (arrival % 3 == 0 ? 7 : 0 - arrival));
  }
}

TEST_CASE("more distinct details than a segment holds begin another segment") {
  const TemporaryFolder folder;
  const auto writer = create(folder / "t.dprof");
  writer->define_name(1, "k");
  constexpr uint32_t kCount = 150'000;
  for (uint32_t i = 0; i < kCount; ++i) {
    Event event;
    event.set_kind(Kind::kernel, true);
    event.name = 1;
    event.start_ns = 1 + i;
    Detail detail;
    detail.grid_x = i;
    writer->append(event, &detail);
  }
  writer->finish();
  const Trace trace = load(folder / "t.dprof").trace;
  REQUIRE(trace.ops.size() == kCount);
  for (uint32_t i = 0; i < kCount; ++i) { REQUIRE(trace.details[trace.ops[i].detail].grid_x == i); }
}

TEST_CASE("what was flushed is readable while the writer still runs") {
  const TemporaryFolder folder;
  const auto writer = create(folder / "t.dprof");
  writer->set_fact("host", "h");
  writer->define_name(1, "k");
  Event event;
  event.set_kind(Kind::kernel, false);
  event.name = 1;
  event.start_ns = 5;
  writer->append(event, nullptr);
  writer->flush();
  event.start_ns = 9;
  writer->append(event, nullptr);

  const LoadedDprof loaded = load(folder / "t.dprof");
  CHECK(loaded.trace.ops.size() == 1);
  CHECK(loaded.trace.process.host == "h");
  CHECK_FALSE(loaded.complete);
  REQUIRE(loaded.notes.size() == 1);
  CHECK(loaded.notes[0].find("was not closed") != std::string::npos);
  CHECK_FALSE(loaded.trace.closed);
  CHECK(loaded.trace.losses[Loss::file_damaged] == 0);
}

TEST_CASE("the last blob of a key wins and its older copies give their room back") {
  const TemporaryFolder folder;
  const auto writer = create(folder / "t.dprof");
  std::string noise(50'000, 0);
  RandomTrace random(1);
  for (int round = 0; round < 100; ++round) {
    for (char& c : noise) c = static_cast<char>(random.below(256));
    writer->put_blob("statistics", noise);
  }
  writer->put_blob("other", "");
  writer->finish();
  const LoadedDprof loaded = load(folder / "t.dprof");
  REQUIRE(loaded.trace.blobs.size() == 2);
  CHECK(loaded.trace.blobs.at("statistics") == noise);
  CHECK(loaded.trace.blobs.at("other").empty());
  CHECK(writer->bytes_written() < 3 * noise.size());
}

TEST_CASE("the last value of a fact wins") {
  const TemporaryFolder folder;
  const auto writer = create(folder / "t.dprof");
  writer->set_fact("host", "a");
  writer->set_fact("x", "1");
  writer->flush();
  writer->set_fact("host", "b");
  writer->set_fact("x", "2");
  writer->finish();
  const Trace trace = load(folder / "t.dprof").trace;
  CHECK(trace.process.host == "b");
  REQUIRE(trace.process.facts.size() == 1);
  CHECK(trace.process.facts[0].second == "2");
}

TEST_CASE("the file belongs to its owner alone and never replaces another") {
  const TemporaryFolder folder;
  create(folder / "t.dprof")->finish();
  struct stat status;
  REQUIRE(::stat((folder / "t.dprof").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  const auto again = TraceWriter::create({folder / "t.dprof", 0});
  REQUIRE_FALSE(again.ok());
  CHECK(again.error().find("t.dprof") != std::string::npos);
  REQUIRE(::symlink("elsewhere", (folder / "link.dprof").c_str()) == 0);
  CHECK_FALSE(TraceWriter::create({folder / "link.dprof", 0}).ok());
}

TEST_CASE("an empty recording is a readable file") {
  const LoadedDprof loaded = round_trip(Trace{});
  CHECK(loaded.complete);
  CHECK(loaded.trace.ops.empty());
  CHECK(loaded.notes.empty());
}
