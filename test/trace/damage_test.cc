#include <sys/resource.h>

#include <csignal>
#include <set>

#include "analysis/model/dprof.h"
#include "libdeepprof/event/allocation_events.h"
#include "libdeepprof/trace/chunk.h"
#include "libdeepprof/trace/chunk_scan.h"
#include "libdeepprof/trace/crc32c.h"
#include "test/support/catch.h"
#include "test/trace/random_trace.h"
#include "test/trace/same_trace.h"
#include "test/trace/temporary_folder.h"
#include "test/trace/write_trace_file.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

// Several blocks, small enough to be cut at every byte.
Bytes small_file(std::vector<std::string>& lines) {
  const TemporaryFolder folder;
  auto writer = TraceWriter::create({folder / "t.dprof", 0});
  REQUIRE(writer.ok());
  for (uint64_t part = 0; part < 3; ++part) {
    const Trace trace = RandomTrace(1).make(60, false);  // the same each time, so that ids agree
    write_trace(trace, *writer.value());
    writer.value()->flush();
    lines = lines_of(trace);
  }
  writer.value()->finish();
  return read_file(folder / "t.dprof");
}

// Every row that was read is one that was written. Where a damaged names chunk took the name, the
// row says so instead of showing another.
bool is_part_of(const Trace& trace, const std::vector<std::string>& lines) {
  for (const std::string& line : lines_of(trace)) {
    if (line.find("(lost)") != std::string::npos) continue;
    if (line.find("[0 0,0,0 0,0,0 r0 s0 c0 0>0 y0]") != std::string::npos) continue;
    if (!std::binary_search(lines.begin(), lines.end(), line)) return false;
  }
  return true;
}

size_t rows_of(const Trace& trace) {
  return trace.ops.size() + trace.calls.size() + trace.ranges.size() + trace.overheads.size() +
         trace.samples.size() + trace.allocations.size();
}

std::string refusal(const Bytes& bytes) {
  const auto loaded = read_dprof(MemorySource(bytes), "f.dprof");
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.error().find('\n') == std::string::npos);
  return loaded.error();
}

}  // namespace

TEST_CASE("a file cut at any byte reads up to its last whole chunk and says what is lost") {
  std::vector<std::string> lines;
  const Bytes whole = small_file(lines);
  size_t rows_before = 0;
  for (size_t size = kFileHeaderBytes; size <= whole.size(); ++size) {
    const auto loaded = read_dprof(MemorySource(ByteSpan(whole).first(size)), "f.dprof");
    REQUIRE(loaded.ok());
    const Trace& trace = loaded.value().trace;
    REQUIRE(is_part_of(trace, lines));
    REQUIRE(rows_of(trace) >= rows_before);  // more bytes never mean fewer rows
    rows_before = rows_of(trace);
    if (size < whole.size()) {
      REQUIRE_FALSE(loaded.value().complete);
      REQUIRE_FALSE(loaded.value().notes.empty());
    }
  }
  REQUIRE(rows_before == 3 * lines.size());
}

TEST_CASE("a file cut within its header is refused in one line") {
  std::vector<std::string> lines;
  const Bytes whole = small_file(lines);
  for (size_t size = 0; size < kFileHeaderBytes; ++size) {
    refusal(Bytes(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size)));
  }
  CHECK(refusal({}).find("empty file") != std::string::npos);
}

TEST_CASE("flipped bytes never make an event that was not written") {
  std::vector<std::string> lines;
  const Bytes whole = small_file(lines);
  RandomTrace random(5);
  for (int round = 0; round < 3000; ++round) {
    Bytes damaged = whole;
    for (uint64_t flips = 1 + random.below(4); flips > 0; --flips) {
      damaged[kFileHeaderBytes + random.below(damaged.size() - kFileHeaderBytes)] ^=
          static_cast<uint8_t>(1 + random.below(255));
    }
    const auto loaded = read_dprof(MemorySource(damaged), "f.dprof");
    REQUIRE(loaded.ok());
    REQUIRE(is_part_of(loaded.value().trace, lines));
    REQUIRE(loaded.value().trace.losses[Loss::file_damaged] > 0);
    REQUIRE_FALSE(loaded.value().notes.empty());
  }
}

TEST_CASE("a block with a step of more memory than there is is left out as damaged") {
  for (const uint64_t bytes : {kMostAllocation_bytes, uint64_t{1} << 63}) {
    Trace trace;
    trace.allocations.resize(1);
    trace.allocations[0].time_ns = 1'000'000'000;
    trace.allocations[0].bytes = trace.allocations[0].in_use_bytes = bytes;
    const TemporaryFolder folder;
    const auto loaded = read_dprof(write_trace_file(folder / "t.dprof", trace));
    REQUIRE(loaded.ok());
    const bool is_possible = bytes == kMostAllocation_bytes;
    CHECK(loaded.value().trace.allocations.size() == (is_possible ? 1 : 0));
    CHECK(loaded.value().trace.losses[Loss::file_damaged] == (is_possible ? 0 : 1));
  }
}

TEST_CASE("a hole in the middle costs the chunks it touches and no other") {
  std::vector<std::string> lines;
  Bytes bytes = small_file(lines);
  const size_t middle = bytes.size() / 2;
  std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(middle), 40, uint8_t{0});
  const auto loaded = read_dprof(MemorySource(bytes), "f.dprof");
  REQUIRE(loaded.ok());
  const LoadedDprof& dprof = loaded.value();
  CHECK(rows_of(dprof.trace) >= lines.size());
  CHECK(rows_of(dprof.trace) < 3 * lines.size());
  CHECK(dprof.trace.losses[Loss::file_damaged] >= 1);
  CHECK(dprof.complete);
}

namespace {

// A file, and where in it the chunks of events lie.
struct BlockedFile {
  Bytes bytes;
  std::vector<FoundChunk> events;

  // `fill(writer)` appends, and flushes behind each block.
  template <typename Fill>
  void write(const Fill& fill) {
    const TemporaryFolder folder;
    auto writer = TraceWriter::create({folder / "t.dprof", 0});
    REQUIRE(writer.ok());
    fill(*writer.value());
    writer.value()->finish();
    bytes = read_file(folder / "t.dprof");
    const auto scan = scan_chunks(MemorySource(bytes), "f.dprof");
    REQUIRE(scan.ok());
    for (const FoundChunk& chunk : scan.value().chunks)
      if (chunk.header.type == ChunkType::events) events.push_back(chunk);
  }
};

// Three blocks of 1,000 kernels each on two streams, every 10 us one that takes 6.
struct ThreeBlocks : BlockedFile {
  static constexpr int64_t kStart_ns = 1'000'000'000, kEach_ns = 10'000, kRun_ns = 6'000;
  static constexpr uint32_t kRows = 1'000;

  ThreeBlocks() {
    write([](TraceWriter& writer) {
      writer.define_name(1, "k");
      for (uint32_t i = 0; i < 3 * kRows; ++i) {
        Event event;
        event.set_kind(Kind::kernel, false);
        event.name = 1;
        event.track = 7 + i % 2;
        event.correlation = i + 1;
        event.start_ns = at(i);
        event.set_duration(kRun_ns);
        writer.append(event, nullptr);
        if (i % kRows == kRows - 1) writer.flush();
      }
    });
    REQUIRE(events.size() == 3);
  }
  static int64_t at(uint32_t row) { return kStart_ns + int64_t{row} * kEach_ns; }
};

}  // namespace

TEST_CASE("the time of a block that damage took is a hole, whether its head or its bytes are hit") {
  ThreeBlocks file;
  const FoundChunk& middle = file.events[1];
  for (const uint64_t hit : {middle.offset + 8, middle.offset + kChunkHeaderBytes + 20}) {
    Bytes bytes = file.bytes;
    bytes[hit] ^= 0x10;
    const auto loaded = read_dprof(MemorySource(bytes), "f.dprof");
    REQUIRE(loaded.ok());
    const Trace& trace = loaded.value().trace;
    CHECK(trace.losses[Loss::file_damaged] == 1);
    REQUIRE(trace.ops.size() == 2 * ThreeBlocks::kRows);
    REQUIRE(trace.holes.size() == 1);
    // From the end of the stream's last op before to its first behind: that of the stream which
    // had its last turn earlier, and its next later.
    CHECK(trace.holes[0].device == 0);
    CHECK(trace.holes[0].start_ns ==
          ThreeBlocks::at(ThreeBlocks::kRows - 2) + ThreeBlocks::kRun_ns);
    CHECK(trace.holes[0].end_ns == ThreeBlocks::at(2 * ThreeBlocks::kRows + 1));
  }
}

TEST_CASE("behind a lost last block the hole lasts to where the index says that the file ended") {
  ThreeBlocks file;
  file.bytes[file.events[2].offset + kChunkHeaderBytes + 20] ^= 0x10;
  const auto loaded = read_dprof(MemorySource(file.bytes), "f.dprof");
  REQUIRE(loaded.ok());
  const Trace& trace = loaded.value().trace;
  REQUIRE(trace.holes.size() == 1);
  CHECK(trace.holes[0].end_ns ==
        ThreeBlocks::at(3 * ThreeBlocks::kRows - 1) + ThreeBlocks::kRun_ns);
}

namespace {

// Two threads launch on one stream in turns of 100 kernels, with a microsecond between kernels;
// each hands 1,000 events over at a time, as CUPTI does whose buffers are a thread's own.
struct BlocksOfThreads : BlockedFile {
  static constexpr uint32_t kTurn = 100, kTurnsOfABlock = 5, kBlocks = 6;  // of each thread
  static constexpr int64_t kStart_ns = 1'000'000'000, kEach_ns = 10'000;

  BlocksOfThreads() {
    write([](TraceWriter& writer) {
      writer.define_name(1, "k");
      for (uint32_t block = 0; block < 2 * kBlocks; ++block) {
        const uint32_t thread = block % 2;
        for (uint32_t turn = 0; turn < kTurnsOfABlock; ++turn) {
          const uint32_t first = (2 * (block / 2 * kTurnsOfABlock + turn) + thread) * kTurn;
          for (uint32_t i = first; i < first + kTurn; ++i) append_launch(i, thread, writer);
        }
        writer.flush();
      }
    });
    REQUIRE(events.size() == 2 * kBlocks);
  }
  static void append_launch(uint32_t number, uint32_t thread, TraceWriter& writer) {
    for (const Kind kind : {Kind::api_call, Kind::kernel}) {
      Event event;
      event.set_kind(kind, false);
      event.name = 1;
      event.device = 0;
      event.track = kind == Kind::kernel ? 7 : thread;
      event.correlation = number + 1;
      event.start_ns = kStart_ns + int64_t{number} * kEach_ns + (kind == Kind::kernel ? 1'000 : 0);
      event.set_duration(kind == Kind::kernel ? 9'000 : 1'000);
      writer.append(event, nullptr);
    }
  }
};

}  // namespace

TEST_CASE("a lost block of one of two threads on a stream leaves no idle time, but a hole") {
  const BlocksOfThreads file;
  for (size_t lost = 0; lost + 2 < file.events.size(); ++lost) {
    CAPTURE(lost);
    Bytes bytes = file.bytes;
    bytes[file.events[lost].offset + kChunkHeaderBytes + 20] ^= 0x10;
    const auto loaded = read_dprof(MemorySource(bytes), "f.dprof");
    REQUIRE(loaded.ok());
    const Trace& trace = loaded.value().trace;
    CHECK(trace.losses[Loss::file_damaged] == 1);
    const std::span<const Hole> holes = holes_of(trace, 0);
    size_t idle = 0;
    for (size_t i = 1; i < trace.ops.size(); ++i) {
      const int64_t from_ns = trace.ops[i - 1].end_ns(), to_ns = trace.ops[i].start_ns;
      idle += to_ns - from_ns > 10'000 && !touches_hole(holes, from_ns, to_ns);
    }
    CHECK(idle == 0);
  }
}

namespace {

// A job whose thread 0 launches the forward pass and thread 1 the backward pass, on one stream.
// Each thread's buffers hold five iterations, and every buffer is a block, as CUPTI 13 hands them
// over: first that of thread 0, then that of thread 1.
struct TwoThreads : BlockedFile {
  static constexpr int64_t kEach_ns = 10'000;
  static constexpr uint32_t kForward = 200, kAll = 500, kInBuffer = 5, kBuffers = 6;
  static constexpr int64_t kIteration_ns = kAll * kEach_ns;

  TwoThreads() {
    write([](TraceWriter& writer) {
      for (const NameId name : {1, 2}) writer.define_name(name, name == 1 ? "k" : "launch");
      for (uint32_t buffer = 0; buffer < 2 * kBuffers; ++buffer) {
        for (uint32_t i = 0; i < kInBuffer * kAll; ++i)
          if ((i % kAll >= kForward) == (buffer % 2 == 1)) add(writer, buffer, i);
        // New losses supersede the older: the chunk lies behind room that is free.
        LossCounts losses;
        losses.count[0] = buffer;
        writer.set_losses(losses);
        writer.flush();
      }
    });
    REQUIRE(events.size() == 2 * kBuffers);
  }
  static void add(TraceWriter& writer, uint32_t buffer, uint32_t i) {
    const uint32_t row = buffer / 2 * kInBuffer * kAll + i;
    Event event;
    event.set_kind(Kind::api_call, false);
    event.name = 2;
    event.track = buffer % 2;
    event.correlation = row + 1;
    event.start_ns = 1'000'000'000 + row * kEach_ns;
    event.set_duration(1'000);
    writer.append(event, nullptr);
    event.set_kind(Kind::kernel, false);
    event.name = 1;
    event.track = 7;
    event.start_ns += 2'000;
    event.set_duration(7'000);
    writer.append(event, nullptr);
  }
};

}  // namespace

TEST_CASE("the hole of a lost block holds all that one of two threads of a stream has lost") {
  const TwoThreads file;
  const auto whole = read_dprof(MemorySource(file.bytes), "f.dprof");
  REQUIRE(whole.ok());
  REQUIRE(whole.value().trace.holes.empty());
  for (const FoundChunk& block : file.events) {
    for (const uint64_t hit : {block.offset + 8, block.offset + kChunkHeaderBytes + 20}) {
      Bytes bytes = file.bytes;
      bytes[hit] ^= 0x10;
      const auto loaded = read_dprof(MemorySource(bytes), "f.dprof");
      REQUIRE(loaded.ok());
      const Trace& trace = loaded.value().trace;
      CAPTURE(block.header.sequence, hit - block.offset);
      REQUIRE(trace.ops.size() < whole.value().trace.ops.size());
      const auto holes = holes_of(trace, 0);
      REQUIRE(holes.size() == 1);
      std::set<int64_t> left;
      for (const Op& op : trace.ops) left.insert(op.start_ns);
      for (const Op& op : whole.value().trace.ops) {
        // What ran before the first op that is left is no time of the recording.
        if (left.count(op.start_ns) > 0 || op.end_ns() <= *left.begin()) continue;
        REQUIRE(holes[0].start_ns <= op.start_ns);
        REQUIRE(op.end_ns() <= holes[0].end_ns);
      }
      // No more than that, and what is missing of the other half iteration on either side.
      CHECK(holes[0].end_ns - holes[0].start_ns <=
            (TwoThreads::kInBuffer + 1) * TwoThreads::kIteration_ns);
    }
  }
}

TEST_CASE("a chunk of a type from the future is skipped and mentioned") {
  std::vector<std::string> lines;
  Bytes bytes = small_file(lines);
  ChunkHeader header;
  header.type = static_cast<ChunkType>(999);
  header.length = 3;
  header.sequence = 1'000'000;
  const uint8_t payload[] = {1, 2, 3};
  header.payload_crc = crc32c(payload);
  std::array<uint8_t, kChunkHeaderBytes> head;
  encode(header, head);
  bytes.insert(bytes.end(), head.begin(), head.end());
  bytes.insert(bytes.end(), payload, payload + 3);
  const auto loaded = read_dprof(MemorySource(bytes), "f.dprof");
  REQUIRE(loaded.ok());
  CHECK(rows_of(loaded.value().trace) == 3 * lines.size());
  REQUIRE(loaded.value().notes.size() == 1);
  CHECK(loaded.value().notes[0].find("newer kind") != std::string::npos);
}

TEST_CASE("other files, newer versions and folders are refused with place and expectation") {
  CHECK(refusal({'h', 'e', 'l', 'l', 'o'}).find("f.dprof: byte 0: expected the .dprof signature") ==
        0);

  Bytes newer(kFileHeaderBytes);
  const auto header = encode_file_header();
  std::copy(header.begin(), header.end(), newer.begin());
  newer[8] = 2;
  const uint32_t crc = crc32c(ByteSpan(newer).first(12));
  std::memcpy(newer.data() + 12, &crc, sizeof crc);
  CHECK(refusal(newer).find("found 2.") != std::string::npos);
  newer[9] = 1;
  CHECK(refusal(newer).find("damaged") != std::string::npos);

  const TemporaryFolder folder;
  const auto on_folder = read_dprof(folder / "");
  REQUIRE_FALSE(on_folder.ok());
  CHECK(on_folder.error().find("a folder") != std::string::npos);
  const auto on_nothing = read_dprof(folder / "none.dprof");
  REQUIRE_FALSE(on_nothing.ok());
  CHECK(on_nothing.error().find("No such file") != std::string::npos);
}

TEST_CASE("a full disk stops the writer, counts what is lost and leaves a readable file") {
  const TemporaryFolder folder;
  struct rlimit before;
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);

  constexpr uint64_t kEvents = 100'000;
  auto writer = TraceWriter::create({folder / "t.dprof", 0});
  REQUIRE(writer.ok());
  RandomTrace random(4);
  const struct rlimit small = {200'000, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  writer.value()->define_name(1, "k");
  for (uint64_t i = 0; i < kEvents; ++i) {
    Event event;
    event.set_kind(Kind::kernel, false);
    event.name = 1;
    event.start_ns = 1'000'000 + static_cast<int64_t>(random.below(UINT32_MAX));
    writer.value()->append(event, nullptr);
  }
  writer.value()->finish();
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);

  CHECK(writer.value()->error().find("t.dprof: writing at byte") != std::string::npos);
  CHECK(writer.value()->events_lost() > 0);
  const auto loaded = read_dprof(folder / "t.dprof");
  REQUIRE(loaded.ok());
  const Trace& trace = loaded.value().trace;
  CHECK(trace.losses[Loss::file_damaged] == 0);
  CHECK(trace.ops.size() > 0);
  CHECK(trace.ops.size() + writer.value()->events_lost() == kEvents);
  // The few bytes of the losses still fitted.
  CHECK(trace.losses[Loss::write_failed] == writer.value()->events_lost());
}

TEST_CASE("a disk that was full for a while costs what came meanwhile, and nothing after it") {
  const TemporaryFolder folder;
  struct rlimit before;
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  auto writer = TraceWriter::create({folder / "t.dprof", 0});
  REQUIRE(writer.ok());
  uint64_t appended = 0;
  const auto append = [&](uint64_t events) {
    for (uint64_t i = 0; i < events; ++i, ++appended) {
      const auto name = static_cast<NameId>(appended / 10'000 + 1);  // a new one now and then
      if (appended % 10'000 == 0) writer.value()->define_name(name, "k" + std::to_string(name));
      Event event;
      event.set_kind(Kind::kernel, true);
      event.name = name;
      event.start_ns = 1'000'000 + static_cast<int64_t>(1'000 * appended);
      Detail detail;
      detail.grid_x = name;
      writer.value()->append(event, &detail);
    }
  };
  append(30'000);
  writer.value()->flush();
  const struct rlimit small = {writer.value()->bytes_written() + 100, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  append(40'000);
  writer.value()->flush();
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  const uint64_t lost = writer.value()->events_lost();
  CHECK(lost > 20'000);
  writer.value()->flush();
  append(30'000);
  writer.value()->finish();

  CHECK(writer.value()->events_lost() == lost);
  const auto loaded = read_dprof(folder / "t.dprof");
  REQUIRE(loaded.ok());
  const Trace& trace = loaded.value().trace;
  CHECK(trace.losses[Loss::file_damaged] == 0);
  CHECK(trace.ops.size() + lost == appended);
  CHECK(trace.losses[Loss::write_failed] == lost);
  // Nobody takes that time for idle.
  REQUIRE(trace.holes.size() == 1);
  CHECK(trace.holes[0].end_ns - trace.holes[0].start_ns ==
        1'000 * (static_cast<int64_t>(lost) - 1));
  for (const Op& op : trace.ops) {
    REQUIRE(trace.names[op.name] == "k" + std::to_string(trace.details[op.detail].grid_x));
  }
}

TEST_CASE("a device that takes nothing is an error at once") {
  // /dev/full exists already, so the file could not be created either; what matters is one clear
  // line.
  const auto writer = TraceWriter::create({"/dev/full", 0});
  REQUIRE_FALSE(writer.ok());
  CHECK(writer.error().find("/dev/full: cannot") == 0);
}
