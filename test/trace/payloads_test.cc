#include "libdeepprof/trace/payloads.h"

#include <cmath>
#include <limits>

#include "test/support/catch.h"

using namespace deepprof;

TEST_CASE("samples come back bit for bit") {
  const double values[] = {0.0,
                           -0.0,
                           1.5,
                           9007199254740993.0,
                           -9007199254740992.0,
                           350'000,
                           350'001,
                           std::numeric_limits<double>::infinity(),
                           1e300};
  std::vector<SampleRecord> samples;
  for (const double value : values) {
    samples.push_back({static_cast<int64_t>(samples.size()) - 3, 7, 0, value});
    samples.push_back({INT64_MAX, 7, UINT32_MAX, value});
  }
  StreamPacker packer;
  StreamUnpacker unpacker;
  ByteSink sink;
  encode_samples(samples, packer, sink);
  std::vector<SampleRecord> back;
  REQUIRE(decode_samples(sink.bytes(), unpacker, back));
  REQUIRE(back.size() == samples.size());
  for (size_t i = 0; i < back.size(); ++i) {
    // Series by series: device 0 first, then the host.
    const SampleRecord& sample = samples[i < 9 ? 2 * i : 2 * (i - 9) + 1];
    CHECK(back[i].time_ns == sample.time_ns);
    CHECK(back[i].device == sample.device);
    CHECK(back[i].value == sample.value);
    CHECK(std::signbit(back[i].value) == std::signbit(sample.value));
  }
}

TEST_CASE("losses of a newer version are read without the rows this one does not know") {
  ByteSink sink;
  sink.put(static_cast<uint32_t>(kLossCount + 2));
  for (uint64_t i = 0; i < kLossCount + 2; ++i) sink.put(i + 100);
  LossCounts losses;
  REQUIRE(decode_losses(sink.bytes(), losses));
  CHECK(losses[Loss::import_skipped] == 113);
}

TEST_CASE("losses of an older version leave the newer rows at zero") {
  ByteSink sink;
  sink.put(uint32_t{1});
  sink.put(uint64_t{5});
  LossCounts losses;
  losses[Loss::ring_full] = 9;
  REQUIRE(decode_losses(sink.bytes(), losses));
  CHECK(losses[Loss::cupti_dropped] == 5);
  CHECK(losses[Loss::ring_full] == 0);
}

TEST_CASE("an index comes back") {
  IndexRecord index;
  index.events_evicted = 5;
  index.kept_chunks = 9;
  index.segments.resize(2);
  index.segments[1] = {7, 3, 40'000, -5, INT64_MAX, {{16, 400}, {900, 32}}};
  ByteSink sink;
  encode_index(index, sink);
  IndexRecord back;
  REQUIRE(decode_index(sink.bytes(), back));
  CHECK(back.events_evicted == 5);
  CHECK(back.kept_chunks == 9);
  CHECK(back.segments == index.segments);
}
