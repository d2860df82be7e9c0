#include "libdeepprof/trace/row_block.h"

#include <algorithm>
#include <random>

#include "libdeepprof/trace/row_buffer.h"
#include "libdeepprof/trace/time_column.h"
#include "test/support/catch.h"

using namespace deepprof;

namespace {

// Each value's predecessor is the one two before it.
std::vector<uint32_t> two_before(size_t count) {
  std::vector<uint32_t> predecessors(count, 0);
  for (size_t i = 2; i < count; ++i) predecessors[i] = static_cast<uint32_t>(i - 1);
  return predecessors;
}

std::vector<int64_t> through_a_column(std::vector<int64_t> values, size_t unit_index) {
  const std::vector<uint32_t> predecessors = two_before(values.size());
  StreamPacker packer;
  ByteSink sink;
  TimeColumnEncoder(packer).encode(values, predecessors, unit_index, sink);
  StreamUnpacker unpacker;
  ByteReader reader(sink.bytes());
  std::vector<int64_t> back(values.size());
  const int64_t unit = TimeColumnDecoder(unpacker).decode(reader, predecessors, back);
  CHECK(unit == kTimeUnits_ns[unit_index]);
  CHECK_FALSE(reader.failed());
  CHECK(reader.remaining() == 0);
  return back;
}

}  // namespace

TEST_CASE("a time column holds the extremes in every unit") {
  const std::vector<int64_t> values = {
      0,       1,    -1,   INT64_MAX, INT64_MIN, INT64_MAX - 1, INT64_MIN + 1,
      1 << 20, -499, -501, 64'000,    500};
  for (size_t unit = 0; unit < kTimeUnits_ns.size(); ++unit) {
    CHECK(through_a_column(values, unit) == values);
    CHECK(through_a_column({}, unit).empty());
  }
}

TEST_CASE("a time column picks the grid that its values lie on and loses nothing off it") {
  std::mt19937_64 random(1);
  for (size_t unit = 0; unit < kTimeUnits_ns.size(); ++unit) {
    std::vector<int64_t> values;
    for (int i = 0; i < 5000; ++i) {
      const auto quotient = static_cast<int64_t>(random() % 100'000) - 20'000;
      values.push_back(quotient * kTimeUnits_ns[unit]);
    }
    CAPTURE(unit);
    CHECK(choose_time_unit(values) == unit);
    // A tenth of the values lies beside the grid.
    for (size_t i = 0; i < values.size(); i += 10)
      values[i] += static_cast<int64_t>(random() % 7) - 3;
    CHECK(choose_time_unit(values) == unit);
    CHECK(through_a_column(values, unit) == values);
  }
}

TEST_CASE("a column of repeating values costs next to nothing") {
  std::vector<int64_t> values;
  for (int i = 0; i < 10'000; ++i) values.push_back(i % 2 == 0 ? 12'345 : 67'890);
  StreamPacker packer;
  ByteSink sink;
  TimeColumnEncoder(packer).encode(values, two_before(values.size()), 0, sink);
  CHECK(sink.size() < 100);
}

TEST_CASE("a bucket column holds every width of number") {
  std::mt19937_64 random(2);
  for (unsigned most = 0; most < 64; ++most) {
    std::vector<int64_t> values;
    for (int i = 0; i < 300; ++i)
      values.push_back(unzigzag(random() >> (63 - random() % (most + 1))));
    StreamPacker packer;
    ByteSink sink;
    BucketEncoder(packer).encode(values, choose_buckets(values).mantissa, sink);
    StreamUnpacker unpacker;
    ByteReader reader(sink.bytes());
    std::vector<int64_t> back(values.size());
    BucketDecoder(unpacker).decode(reader, back);
    REQUIRE_FALSE(reader.failed());
    REQUIRE(back == values);
  }
}

TEST_CASE("a row's predecessor came behind the same tokens, else it has the same token") {
  std::vector<Token> list(3);
  list[2].on_device = true;
  const std::vector<uint32_t> tokens = {0, 1, 2, 0, 1, 2, 0, 1, 2, 1, 0, 1, 2, 0, 1, 2};
  Predecessors predecessors;
  predecessors.find(tokens, list);
  const auto host = predecessors.of_lane(false);
  const auto device = predecessors.of_lane(true);
  REQUIRE(host.size() == 11);
  REQUIRE(device.size() == 5);
  CHECK(device[0] == 0);  // first of its token
  CHECK(device[1] == 1);  // last of its token
  CHECK(host[0] == 0);
  CHECK(host[2] == 1);
  // The last row follows 0 1 2 0 1, as row 8 did (number 2 on the device), and not row 12.
  CHECK(device[4] == 3);
}

TEST_CASE("a block gives its rows in order of correlation and start") {
  std::mt19937_64 random(7);
  RowBuffer buffer;
  std::vector<Row> rows;
  for (size_t i = 0; i < kBlockRows; ++i) {
    Token token;
    token.kind = static_cast<uint8_t>(1 + random() % 6);
    token.on_device = token.kind < 5;
    token.has_graph_node = random() % 4 == 0;
    token.device = static_cast<uint16_t>(random() % 2);
    token.name = static_cast<NameId>(random() % 50);
    token.track = static_cast<uint32_t>(random() % 3);
    token.detail = static_cast<uint32_t>(random() % 9);
    Row row;
    row.start_ns = static_cast<int64_t>(random());
    row.duration_ns = static_cast<int64_t>(random() >> 20);
    row.correlation = static_cast<uint32_t>(random() % 3 == 0 ? random() : random() % 5000);
    row.graph_node = token.has_graph_node ? static_cast<uint32_t>(random()) : 0;
    row.token = buffer.intern(token);
    buffer.push(row);
    rows.push_back(row);
  }
  CHECK(buffer.full());
  ByteSink sink;
  RowBlockEncoder().encode(buffer.rows(), buffer.tokens(), sink);

  RowBlockDecoder decoder;
  REQUIRE(decoder.decode(sink.bytes()));
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tuple(a.correlation, a.start_ns) < std::tuple(b.correlation, b.start_ns);
  });
  REQUIRE(decoder.rows().size() == rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row& row = decoder.rows()[i];
    REQUIRE(row.start_ns == rows[i].start_ns);
    REQUIRE(row.duration_ns == rows[i].duration_ns);
    REQUIRE(row.correlation == rows[i].correlation);
    REQUIRE(row.graph_node == rows[i].graph_node);
    REQUIRE(decoder.tokens()[row.token] == buffer.tokens()[rows[i].token]);
  }
}

TEST_CASE("the head of a block tells its rows and span") {
  RowBuffer buffer;
  Token token;
  buffer.push({100, 50, 1, 0, buffer.intern(token)});
  buffer.push({40, 7, 2, 0, buffer.intern(token)});
  ByteSink sink;
  RowBlockEncoder().encode(buffer.rows(), buffer.tokens(), sink);
  const RowBlockHead head = peek_row_block(sink.bytes());
  CHECK(head.rows == 2);
  CHECK(head.first_ns == 40);
  CHECK(head.last_ns == 150);
}

TEST_CASE("a block cut anywhere is refused") {
  RowBuffer buffer;
  for (uint32_t i = 0; i < 200; ++i) {
    Token token;
    token.kind = 1;
    token.on_device = i % 2 == 0;
    token.name = i % 7;
    buffer.push({i * 1000, 32, i, 0, buffer.intern(token)});
  }
  ByteSink sink;
  RowBlockEncoder().encode(buffer.rows(), buffer.tokens(), sink);
  RowBlockDecoder decoder;
  for (size_t size = 0; size < sink.size(); ++size) {
    REQUIRE_FALSE(decoder.decode(ByteSpan(sink.bytes()).first(size)));
  }
  CHECK(decoder.decode(sink.bytes()));
}
