#include "libdeepprof/trace/row_block.h"

#include <algorithm>
#include <random>

#include "libdeepprof/trace/row_buffer.h"
#include "libdeepprof/trace/time_column.h"
#include "test/support/catch.h"

using namespace deepprof;

namespace {

std::vector<int64_t> through_a_column(std::vector<int64_t> values) {
  StreamPacker packer;
  ByteSink sink;
  TimeColumnEncoder(packer).encode(values, sink);
  StreamUnpacker unpacker;
  ByteReader reader(sink.bytes());
  std::vector<int64_t> back(values.size());
  TimeColumnDecoder(unpacker).decode(reader, back);
  CHECK_FALSE(reader.failed());
  CHECK(reader.remaining() == 0);
  return back;
}

}  // namespace

TEST_CASE("a time column holds the extremes") {
  const std::vector<int64_t> values = {0, 1, -1, INT64_MAX, INT64_MIN, INT64_MAX - 1, INT64_MIN + 1, 1 << 20};
  CHECK(through_a_column(values) == values);
  CHECK(through_a_column({}).empty());
}

TEST_CASE("a time column picks the grid that its values lie on and loses nothing off it") {
  std::mt19937_64 random(1);
  for (const int64_t unit : kTimeUnits_ns) {
    std::vector<int64_t> values;
    for (int i = 0; i < 5000; ++i) {
      const auto quotient = static_cast<int64_t>(random() % 100'000) - 20'000;
      values.push_back(quotient * unit);
    }
    CAPTURE(unit);
    CHECK(kTimeUnits_ns[choose_time_unit(values)] == unit);
    // A tenth of the values lies beside the grid.
    for (size_t i = 0; i < values.size(); i += 10) values[i] += static_cast<int64_t>(random() % 7) - 3;
    CHECK(through_a_column(values) == values);
  }
}

TEST_CASE("a time column stays whole with extremes on a coarse grid") {
  std::vector<int64_t> values(3000, 64'000);
  values[5] = INT64_MAX;
  values[6] = INT64_MIN;
  values[7] = -499;
  values[8] = -501;
  CHECK(through_a_column(values) == values);
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
    row.correlation = static_cast<uint32_t>(random() % 3 == 0 ? random() : random() % 100);
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
