#include "analysis/sequence/launch_order.h"

#include <algorithm>
#include <unordered_map>

namespace deepprof {
namespace {

struct Key {
  uint32_t launch;  // correlation id, counted from a little before the first op's, so that ids may wrap
  uint32_t op;      // index into Trace::ops, i.e. start order
};
constexpr uint32_t kEnd = UINT32_MAX;  // Key::op behind the last op of a stream

// Below this share of ops with an id, the rest would only be guessed between them.
constexpr double kLeastShareWithId = 0.5;

// How many calls before the first op's own the earliest launch of another stream may be.
constexpr uint32_t kSlack = 1u << 24;

class StreamIndex {
 public:
  // Dense number of the op's stream. A stream id is unique within its context only.
  uint32_t operator()(const Op& op) {
    const uint64_t id = (uint64_t{op.context} << 32) | op.stream;
    if (id != last_id_ || index_.empty()) {
      last_id_ = id;
      last_ = index_.try_emplace(id, static_cast<uint32_t>(index_.size())).first->second;
    }
    return last_;
  }

 private:
  std::unordered_map<uint64_t, uint32_t> index_;
  uint64_t last_id_ = 0;
  uint32_t last_ = 0;
};

struct Counts {
  size_t ops = 0, with_id = 0;
  std::vector<size_t> by_stream;
};

Counts count_ops(const Trace& trace, uint16_t device) {
  Counts counts;
  StreamIndex stream_of;
  for (const Op& op : trace.ops) {
    if (op.device != device) continue;
    const uint32_t stream = stream_of(op);
    if (stream >= counts.by_stream.size()) counts.by_stream.resize(stream + 1, 0);
    ++counts.by_stream[stream];
    ++counts.ops;
    counts.with_id += op.correlation != 0;
  }
  return counts;
}

// The device's ops by stream, each in start order.
std::vector<std::vector<Key>> keys_by_stream(const Trace& trace, uint16_t device, const Counts& counts) {
  std::vector<std::vector<Key>> streams(counts.by_stream.size());
  for (size_t stream = 0; stream < streams.size(); ++stream) streams[stream].reserve(counts.by_stream[stream] + 1);
  StreamIndex stream_of;
  uint32_t origin = 0, launch = 0;
  for (uint32_t index = 0; index < trace.ops.size(); ++index) {
    const Op& op = trace.ops[index];
    if (op.device != device) continue;
    // An op without an id goes behind the op that started before it.
    if (op.correlation != 0) {
      if (origin == 0) origin = op.correlation - kSlack;
      launch = op.correlation - origin;
    }
    streams[stream_of(op)].push_back({launch, index});
  }
  return streams;
}

std::vector<uint32_t> merge(const Trace& trace, std::vector<std::vector<Key>>& streams, size_t count) {
  const auto before = [&](const Key& a, const Key& b) {
    if (a.launch != b.launch) return a.launch < b.launch;
    const uint32_t node_a = trace.ops[a.op].graph_node, node_b = trace.ops[b.op].graph_node;
    return node_a != node_b ? node_a < node_b : a.op < b.op;
  };
  const auto after = [&](const std::vector<Key>::iterator& a, const std::vector<Key>::iterator& b) {
    return before(*b, *a);
  };
  std::vector<uint32_t> order;
  order.reserve(count);
  std::vector<std::vector<Key>::iterator> heads;
  for (std::vector<Key>& keys : streams) {
    if (!std::is_sorted(keys.begin(), keys.end(), before)) std::sort(keys.begin(), keys.end(), before);
    keys.push_back({UINT32_MAX, kEnd});
    heads.push_back(keys.begin());
  }
  std::make_heap(heads.begin(), heads.end(), after);
  while (!heads.empty()) {
    std::pop_heap(heads.begin(), heads.end(), after);
    auto head = heads.back();
    heads.pop_back();
    // Streams take turns rarely: copy until the next stream's head comes first.
    while (head->op != kEnd && (heads.empty() || before(*head, *heads.front()))) {
      order.push_back((head++)->op);
    }
    if (head->op == kEnd) continue;
    heads.push_back(head);
    std::push_heap(heads.begin(), heads.end(), after);
  }
  return order;
}

}  // namespace

LaunchOrder launch_order(const Trace& trace, uint16_t device) {
  const Counts counts = count_ops(trace, device);
  LaunchOrder result;
  result.known = counts.ops > 0 &&
                 static_cast<double>(counts.with_id) >= kLeastShareWithId * static_cast<double>(counts.ops);
  if (result.known) {
    std::vector<std::vector<Key>> streams = keys_by_stream(trace, device, counts);
    result.ops = merge(trace, streams, counts.ops);
  } else {
    result.ops.reserve(counts.ops);
    for (uint32_t index = 0; index < trace.ops.size(); ++index) {
      if (trace.ops[index].device == device) result.ops.push_back(index);
    }
  }
  return result;
}

}  // namespace deepprof
