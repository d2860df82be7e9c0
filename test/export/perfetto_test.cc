// Walks what the Perfetto exporter wrote, as a protobuf reader without the schema's code would.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/export/exporter.h"
#include "libdeepprof/trace/bytes.h"
#include "test/support/catch.h"
#include "test/support/trace_builder.h"
#include "test/trace/random_trace.h"
#include "test/trace/temporary_folder.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

// The fields of a message by number: numbers as they are, texts as bytes.
struct Fields {
  std::multimap<uint32_t, uint64_t> numbers;
  std::multimap<uint32_t, std::string> texts;

  explicit Fields(const std::string& bytes) {
    ByteReader in({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
    while (in.remaining() > 0) {
      const uint64_t tag = in.take_varint();
      const auto field = static_cast<uint32_t>(tag >> 3);
      switch (tag & 7) {
        case 0: numbers.emplace(field, in.take_varint()); break;
        case 1: numbers.emplace(field, in.take<uint64_t>()); break;
        case 2: texts.emplace(field, in.take_text()); break;
        default: FAIL("a wire type that is not used");
      }
    }
    REQUIRE_FALSE(in.failed());
  }
  uint64_t number(uint32_t field) const {
    return numbers.count(field) > 0 ? numbers.find(field)->second : 0;
  }
};

std::vector<Fields> packets_of(const Trace& trace) {
  const TemporaryFolder folder;
  for (const auto& exporter : exporters()) {
    if (std::string("perfetto") != exporter->name()) continue;
    Sink sink(folder / "out");
    REQUIRE(exporter->write({trace, Mined{}}, sink).ok());
    REQUIRE(sink.finish().ok());
  }
  const Bytes bytes = read_file(folder / "out");
  const Fields file(std::string(bytes.begin(), bytes.end()));
  std::vector<Fields> packets;
  for (const auto& [field, text] : file.texts) packets.emplace_back(text);
  return packets;
}

constexpr uint32_t kTimestamp = 8, kTrackEvent = 11, kInterned = 12, kDescriptor = 60;

}  // namespace

TEST_CASE(
    "each slice begins and ends on a track that is described, under a name that is interned") {
  const Trace trace = RandomTrace(3).make(500, false);
  std::set<uint64_t> tracks, names;
  std::map<uint64_t, int64_t> open;
  size_t begins = 0, counters = 0;
  for (const Fields& packet : packets_of(trace)) {
    if (packet.texts.count(kInterned) > 0) {
      const Fields interned(packet.texts.find(kInterned)->second);
      for (const auto& [field, text] : interned.texts) names.insert(Fields(text).number(1));
    }
    if (packet.texts.count(kDescriptor) > 0) {
      tracks.insert(Fields(packet.texts.find(kDescriptor)->second).number(1));
    }
    if (packet.texts.count(kTrackEvent) == 0) continue;
    const Fields event(packet.texts.find(kTrackEvent)->second);
    const uint64_t track = event.number(11);
    REQUIRE(tracks.count(track) == 1);
    switch (event.number(9)) {
      case 1:
        ++begins;
        ++open[track];
        REQUIRE(names.count(event.number(10)) == 1);
        break;
      case 2: --open[track]; break;
      case 4: ++counters; break;
      default: FAIL("an event type that is not used");
    }
  }
  CHECK(begins ==
        trace.ops.size() + trace.calls.size() + trace.ranges.size() + trace.overheads.size());
  CHECK(counters == trace.samples.size() + trace.allocations.size());
  CHECK(names.size() == trace.names.size());
  for (const auto& [track, count] : open) CHECK(count == 0);
}

TEST_CASE("a call and the op that it launched share a flow, and times stay exact") {
  TraceBuilder t(1);
  t.launch("cudaLaunchKernel", 5, 9).kernel("k", 123, 456);
  std::multiset<uint64_t> flows;
  std::set<uint64_t> times;
  for (const Fields& packet : packets_of(t.build())) {
    if (packet.texts.count(kTrackEvent) == 0) continue;
    times.insert(packet.number(kTimestamp));
    const Fields event(packet.texts.find(kTrackEvent)->second);
    for (const uint32_t field : {47u, 48u}) {
      if (event.numbers.count(field) > 0) flows.insert(event.number(field));
    }
  }
  CHECK(flows == std::multiset<uint64_t>{1, 1});
  CHECK(times == std::set<uint64_t>{1'000'000'005, 1'000'000'009, 1'000'000'123, 1'000'000'456});
}
