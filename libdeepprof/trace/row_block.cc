#include "libdeepprof/trace/row_block.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "libdeepprof/trace/track_slots.h"

namespace deepprof {
namespace {

constexpr uint8_t kOnDevice = 1, kHasGraphNode = 2;

uint8_t flags_of(const Token& token) {
  return static_cast<uint8_t>((token.on_device ? kOnDevice : 0) |
                              (token.has_graph_node ? kHasGraphNode : 0));
}

// An op cannot start before its stream is free, and seldom before the call that launched it
// returned. So its gap counts from the later of the two, kept on the grid of the gaps.
class LaunchTracker {
 public:
  void see_call(uint32_t correlation, int64_t end_ns) {
    correlation_ = correlation;
    end_ns_ = end_ns;
  }
  // How long after `stream_free_ns` the call returned that launched the op; 0: not after, or not
  // known.
  int64_t lead_ns(uint32_t correlation, int64_t stream_free_ns) const {
    if (correlation == 0 || correlation != correlation_) return 0;
    return std::max<int64_t>(0, wrapping_sub(end_ns_, stream_free_ns));
  }

 private:
  uint32_t correlation_ = 0;
  int64_t end_ns_ = 0;
};

// The divisions by constants are worth the switch: this runs for every op.
int64_t whole_units(int64_t value_ns, int64_t unit_ns) {
  switch (unit_ns) {
    case 10: return value_ns - value_ns % 10;
    case 32: return value_ns - value_ns % 32;
    case 1000: return value_ns - value_ns % 1000;
    default: return value_ns;
  }
}

// Sorts keys by their upper 32 bits, stably. Correlation ids in a block span little more than the
// block itself, so two passes of 11 bits are the rule.
void radix_sort(std::vector<uint64_t>& keys, std::vector<uint64_t>& other, uint32_t greatest) {
  constexpr unsigned kBits = 11;
  for (unsigned shift = 0; shift < 32 && (greatest >> shift) != 0; shift += kBits) {
    std::array<uint32_t, 1 << kBits> start{};
    const auto digit = [shift](uint64_t key) { return (key >> (32 + shift)) & ((1 << kBits) - 1); };
    for (const uint64_t key : keys) ++start[digit(key)];
    uint32_t sum = 0;
    for (uint32_t& slot : start) sum += std::exchange(slot, sum);
    other.resize(keys.size());
    for (const uint64_t key : keys) other[start[digit(key)]++] = key;
    keys.swap(other);
  }
}

// Stably. Most ties are a call and its op, in either order; the ops of a graph launch may be
// thousands.
void sort_ties_by_start(std::vector<Row>& rows) {
  const auto earlier = [](const Row& a, const Row& b) { return a.start_ns < b.start_ns; };
  for (auto run = rows.begin(); run != rows.end();) {
    auto end = run + 1;
    bool sorted = true;
    for (; end != rows.end() && end->correlation == run->correlation; ++end) {
      sorted = sorted && !earlier(*end, *(end - 1));
    }
    if (!sorted && end - run == 2) std::swap(run[0], run[1]);  // the sort would allocate
    else if (!sorted) std::stable_sort(run, end, earlier);
    run = end;
  }
}

}  // namespace

void RowBlockEncoder::order(std::span<const Row> rows) {
  uint32_t least = UINT32_MAX, greatest = 0;
  for (const Row& row : rows) {
    least = std::min(least, row.correlation);
    greatest = std::max(greatest, row.correlation);
  }
  keys_.resize(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    keys_[i] = (uint64_t{rows[i].correlation - least} << 32) | i;
  }
  radix_sort(keys_, other_keys_, greatest - least);

  ordered_.resize(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) ordered_[i] = rows[static_cast<uint32_t>(keys_[i])];
  sort_ties_by_start(ordered_);
}

// Frequent tokens get the small numbers: one byte each for the first 128.
void RowBlockEncoder::rank_tokens(std::span<const Token> tokens) {
  counts_.assign(tokens.size(), 0);
  for (const Row& row : ordered_) ++counts_[row.token];
  by_count_.resize(tokens.size());
  std::iota(by_count_.begin(), by_count_.end(), 0u);
  std::stable_sort(by_count_.begin(), by_count_.end(),
                   [&](uint32_t a, uint32_t b) { return counts_[a] > counts_[b]; });
  ranked_.clear();
  rank_.resize(tokens.size());
  for (const uint32_t token : by_count_) {
    rank_[token] = static_cast<uint32_t>(ranked_.size());
    ranked_.push_back(tokens[token]);
  }
  ids_.resize(ordered_.size());
  for (size_t i = 0; i < ordered_.size(); ++i) {
    ids_[i] = ordered_[i].token = rank_[ordered_[i].token];
  }
}

void RowBlockEncoder::encode_tokens(ByteSink& out) {
  columns_.clear();
  for (const Token& token : ranked_) columns_.put(token.kind);
  for (const Token& token : ranked_) columns_.put(flags_of(token));
  for (const Token& token : ranked_) columns_.put_varint(token.device);
  for (const Token& token : ranked_) columns_.put_varint(token.name);
  for (const Token& token : ranked_) columns_.put_varint(token.track);
  for (const Token& token : ranked_) columns_.put_varint(token.detail);
  packer_.pack(columns_.bytes(), out);
}

void RowBlockEncoder::encode_ids(ByteSink& out) {
  bytes_.resize(ordered_.size() * kMaxVarintBytes);
  const auto pack = [&](const uint8_t* end) {
    packer_.pack({bytes_.data(), static_cast<size_t>(end - bytes_.data())}, out);
  };
  uint8_t* at = bytes_.data();
  for (const uint32_t id : ids_) at = put_varint(at, id);
  pack(at);

  at = bytes_.data();
  uint32_t before = 0;
  for (const Row& row : ordered_) {
    at = put_varint(at, row.correlation - before);
    before = row.correlation;
  }
  pack(at);

  at = bytes_.data();
  before = 0;
  for (const Row& row : ordered_) {
    if (!ranked_[row.token].has_graph_node) continue;
    at = put_varint(at, zigzag(static_cast<int32_t>(row.graph_node - before)));
    before = row.graph_node;
  }
  pack(at);
}

void RowBlockEncoder::encode_times(int64_t first_ns, ByteSink& out) {
  TrackSlots slots;
  for (const Token& token : ranked_) slots.add(token);
  std::vector<int64_t> end_ns(slots.count(), first_ns);
  LaunchTracker launch;
  for (const int lane : {0, 1}) {
    gaps_[lane].clear();
    durations_[lane].clear();
  }
  leads_.clear();
  for (const Row& row : ordered_) {
    int64_t& before = end_ns[slots.of(row.token)];
    const bool lane = ranked_[row.token].on_device;
    gaps_[lane].push_back(wrapping_sub(row.start_ns, before));
    durations_[lane].push_back(row.duration_ns);
    if (lane) leads_.push_back(launch.lead_ns(row.correlation, before));
    before = wrapping_add(row.start_ns, row.duration_ns);
    if (!lane) launch.see_call(row.correlation, before);
  }

  predecessors_.find(ids_, ranked_);
  for (const bool lane : {false, true}) {
    const size_t unit = choose_time_unit(gaps_[lane]);
    if (lane) {
      for (size_t i = 0; i < leads_.size(); ++i) {
        gaps_[lane][i] = wrapping_sub(gaps_[lane][i], whole_units(leads_[i], kTimeUnits_ns[unit]));
      }
    }
    times_.encode(gaps_[lane], predecessors_.of_lane(lane), unit, out);
    times_.encode(durations_[lane], predecessors_.of_lane(lane), choose_time_unit(durations_[lane]),
                  out);
  }
}

void RowBlockEncoder::encode(std::span<const Row> rows, std::span<const Token> tokens,
                             ByteSink& out) {
  int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
  for (const Row& row : rows) {
    first_ns = std::min(first_ns, row.start_ns);
    last_ns = std::max(last_ns, wrapping_add(row.start_ns, row.duration_ns));
  }
  order(rows);
  rank_tokens(tokens);

  out.put_varint(rows.size());
  out.put(first_ns);
  out.put(last_ns);
  out.put_varint(tokens.size());
  encode_tokens(out);
  encode_ids(out);
  encode_times(first_ns, out);
}

RowBlockHead peek_row_block(ByteSpan payload) {
  ByteReader in(payload);
  RowBlockHead head;
  head.rows = in.take_varint();
  head.first_ns = in.take<int64_t>();
  head.last_ns = in.take<int64_t>();
  return in.failed() ? RowBlockHead{} : head;
}

bool RowBlockDecoder::decode(ByteSpan payload) {
  ByteReader in(payload);
  rows_.assign(in.take_varint(kMaxBlockRows), Row{});
  const auto first_ns = in.take<int64_t>();
  in.take<int64_t>();
  decode_tokens(in, in.take_varint(rows_.size()));
  decode_ids(in);
  if (!in.failed()) decode_times(in, first_ns);
  return !in.failed() && in.remaining() == 0;
}

void RowBlockDecoder::decode_tokens(ByteReader& in, size_t count) {
  tokens_.assign(count, Token{});
  ByteReader columns(unpacker_.unpack(in, count * (2 + 4 * kMaxVarintBytes), bytes_));
  for (Token& token : tokens_) token.kind = columns.take<uint8_t>();
  for (Token& token : tokens_) {
    const auto flags = columns.take<uint8_t>();
    token.on_device = (flags & kOnDevice) != 0;
    token.has_graph_node = (flags & kHasGraphNode) != 0;
  }
  const auto take = [&](uint32_t most) { return static_cast<uint32_t>(columns.take_varint(most)); };
  for (Token& token : tokens_) token.device = static_cast<uint16_t>(take(UINT16_MAX));
  for (Token& token : tokens_) token.name = take(UINT32_MAX);
  for (Token& token : tokens_) token.track = take(UINT32_MAX);
  for (Token& token : tokens_) token.detail = take(UINT32_MAX);
  if (columns.failed() || columns.remaining() != 0) in.fail();
}

void RowBlockDecoder::decode_ids(ByteReader& in) {
  const size_t most = rows_.size() * kMaxVarintBytes;
  ByteReader ids(unpacker_.unpack(in, most, bytes_));
  ids_.resize(rows_.size());
  for (size_t i = 0; i < rows_.size(); ++i) {
    ids_[i] = rows_[i].token = static_cast<uint32_t>(ids.take_varint());
    if (ids_[i] >= tokens_.size()) return in.fail();
  }
  if (ids.failed() || ids.remaining() != 0) return in.fail();

  ByteReader deltas(unpacker_.unpack(in, most, bytes_));
  uint32_t correlation = 0;
  for (Row& row : rows_) {
    correlation += static_cast<uint32_t>(deltas.take_varint());
    row.correlation = correlation;
  }
  if (deltas.failed() || deltas.remaining() != 0) return in.fail();

  ByteReader nodes(unpacker_.unpack(in, most, bytes_));
  uint32_t node = 0;
  for (Row& row : rows_) {
    if (!tokens_[row.token].has_graph_node) continue;
    node += static_cast<uint32_t>(nodes.take_zigzag());
    row.graph_node = node;
  }
  if (nodes.failed() || nodes.remaining() != 0) return in.fail();
}

void RowBlockDecoder::decode_times(ByteReader& in, int64_t first_ns) {
  predecessors_.find(ids_, tokens_);
  int64_t gap_unit_ns = 1;  // of the device lane in the end
  for (const bool lane : {false, true}) {
    const std::span<const uint32_t> predecessors = predecessors_.of_lane(lane);
    gaps_[lane].resize(predecessors.size());
    durations_[lane].resize(predecessors.size());
    gap_unit_ns = times_.decode(in, predecessors, gaps_[lane]);
    times_.decode(in, predecessors, durations_[lane]);
  }
  if (in.failed()) return;

  TrackSlots slots;
  for (const Token& token : tokens_) slots.add(token);
  std::vector<int64_t> end_ns(slots.count(), first_ns);
  LaunchTracker launch;
  size_t next[2] = {0, 0};
  for (Row& row : rows_) {
    const bool lane = tokens_[row.token].on_device;
    const size_t i = next[lane]++;
    int64_t& before = end_ns[slots.of(row.token)];
    row.start_ns = wrapping_add(before, gaps_[lane][i]);
    if (lane) {
      const int64_t lead_ns = launch.lead_ns(row.correlation, before);
      row.start_ns = wrapping_add(row.start_ns, whole_units(lead_ns, gap_unit_ns));
    }
    row.duration_ns = durations_[lane][i];
    before = wrapping_add(row.start_ns, row.duration_ns);
    if (!lane) launch.see_call(row.correlation, before);
  }
}

}  // namespace deepprof
