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

struct Streams {
  std::vector<std::vector<Key>> keys;  // by stream, each in start order
  size_t ops = 0, with_id = 0;
};

Streams keys_by_stream(const Trace& trace, const std::vector<uint32_t>& ops) {
  Streams streams;
  StreamIndex stream_of;
  uint32_t origin = 0, launch = 0;
  for (const uint32_t index : ops) {
    const Op& op = trace.ops[index];
    ++streams.ops;
    // An op without an id goes behind the op that started before it.
    if (op.correlation != 0) {
      if (origin == 0) origin = op.correlation - kSlack;
      launch = op.correlation - origin;
      ++streams.with_id;
    }
    const uint32_t stream = stream_of(op);
    if (stream == streams.keys.size()) {
      streams.keys.emplace_back();
      // Most jobs have one busy stream, the first; room that is never touched costs no memory.
      if (stream == 0) streams.keys[0].reserve(ops.size() + 1);
    }
    streams.keys[stream].push_back({launch, index});
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
  return launch_order(trace, ops_of_device(trace, device));
}

LaunchOrder launch_order(const Trace& trace, std::vector<uint32_t> ops) {
  Streams streams = keys_by_stream(trace, ops);
  LaunchOrder result;
  result.known = streams.ops > 0 &&
                 static_cast<double>(streams.with_id) >= kLeastShareWithId * static_cast<double>(streams.ops);
  if (result.known) {
    const size_t count = ops.size();
    std::vector<uint32_t>().swap(ops);
    result.ops = merge(trace, streams.keys, count);
    return result;
  }
  result.ops = std::move(ops);  // start order
  return result;
}

}  // namespace deepprof
