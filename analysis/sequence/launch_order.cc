#include "analysis/sequence/launch_order.h"

#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>

namespace deepprof {
namespace {

struct Key {
  // correlation id, counted from a little before the first op's, so that ids may wrap
  uint32_t launch;
  uint32_t op;  // index into Trace::ops, i.e. start order
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

// Which launch an op belongs to; ops in start order. One without an id goes behind the op that
// started before it.
class LaunchNumbers {
 public:
  uint32_t operator()(const Op& op) {
    if (op.correlation != 0) {
      if (origin_ == 0) origin_ = op.correlation - kSlack;
      launch_ = op.correlation - origin_;
    }
    return launch_;
  }

 private:
  uint32_t origin_ = 0, launch_ = 0;
};

bool is_before(const Trace& trace, const Key& a, const Key& b) {
  if (a.launch != b.launch) return a.launch < b.launch;
  const uint32_t node_a = trace.ops[a.op].graph_node, node_b = trace.ops[b.op].graph_node;
  return node_a != node_b ? node_a < node_b : a.op < b.op;
}

bool have_ids(const Trace& trace, const std::vector<uint32_t>& ops) {
  const auto with_id = std::count_if(ops.begin(), ops.end(),
                                     [&](uint32_t op) { return trace.ops[op].correlation != 0; });
  return !ops.empty() &&
         static_cast<double>(with_id) >= kLeastShareWithId * static_cast<double>(ops.size());
}

// So it is where one stream does all the work, and nothing has to be sorted or kept beside the ops
// then.
bool start_in_launch_order(const Trace& trace, const std::vector<uint32_t>& ops) {
  LaunchNumbers launch_of;
  Key last{launch_of(trace.ops[ops.front()]), ops.front()};
  return std::all_of(ops.begin() + 1, ops.end(), [&](uint32_t op) {
    const Key key{launch_of(trace.ops[op]), op};
    const bool in_order = is_before(trace, last, key);
    last = key;
    return in_order;
  });
}

// 0: not known.
uint32_t process_of(const Trace& trace, const Op& op) {
  if (op.launch == kNone) return 0;
  const uint32_t thread = trace.calls[op.launch].thread;
  return thread < trace.threads.size() ? trace.threads[thread].pid : 0;
}

// Ids come round again after 2^32 calls of a process, hours or days: ops so far apart are not
// ordered by them. Where the ops end that are, from `begin` on.
size_t end_of_round(const Trace& trace, const std::vector<uint32_t>& ops, size_t begin) {
  constexpr int64_t kRound = int64_t{1} << 31;
  constexpr int64_t kShortest_ns = 600'000'000'000;  // no host makes so many calls in less
  const int64_t start_ns = trace.ops[ops[begin]].start_ns;
  if (trace.ops[ops.back()].start_ns - start_ns < kShortest_ns) return ops.size();
  struct Ids {
    int64_t launches = 0;
    uint32_t last = 0;
  };
  std::map<uint32_t, Ids> of_process;
  for (size_t i = begin; i < ops.size(); ++i) {
    const Op& op = trace.ops[ops[i]];
    if (op.correlation == 0) continue;
    Ids& ids = of_process[process_of(trace, op)];
    if (ids.last != 0) ids.launches += int64_t{op.correlation - ids.last + kSlack} - kSlack;
    ids.last = op.correlation;
    if (ids.launches > kRound && op.start_ns - start_ns > kShortest_ns) return i;
  }
  return ops.size();
}

// Each stream's in start order.
std::vector<std::vector<Key>> keys_by_stream(const Trace& trace, std::span<const uint32_t> ops) {
  std::vector<std::vector<Key>> streams;
  StreamIndex stream_of;
  LaunchNumbers launch_of;
  for (const uint32_t index : ops) {
    const Op& op = trace.ops[index];
    const uint32_t launch = launch_of(op), stream = stream_of(op);
    if (stream == streams.size()) {
      streams.emplace_back();
      // Most jobs have one busy stream, the first; room that is never touched costs no memory.
      if (stream == 0) streams[0].reserve(ops.size() + 1);
    }
    streams[stream].push_back({launch, index});
  }
  return streams;
}

void merge(const Trace& trace, std::vector<std::vector<Key>>& streams,
           std::vector<uint32_t>& order) {
  const auto before = [&](const Key& a, const Key& b) { return is_before(trace, a, b); };
  const auto after = [&](const std::vector<Key>::iterator& a, const std::vector<Key>::iterator& b) {
    return before(*b, *a);
  };
  size_t count = order.size();
  for (const std::vector<Key>& keys : streams) count += keys.size();
  order.reserve(count);
  std::vector<std::vector<Key>::iterator> heads;
  for (std::vector<Key>& keys : streams) {
    if (!std::is_sorted(keys.begin(), keys.end(), before))
      std::sort(keys.begin(), keys.end(), before);
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
}

}  // namespace

LaunchOrder launch_order(const Trace& trace, uint16_t device) {
  return launch_order(trace, ops_of_device(trace, device));
}

LaunchOrder launch_order(const Trace& trace, std::vector<uint32_t> ops) {
  if (!have_ids(trace, ops)) return {std::move(ops), false};
  if (start_in_launch_order(trace, ops)) return {std::move(ops), true};
  std::vector<uint32_t> order;
  const size_t count = ops.size();
  for (size_t begin = 0; begin < count;) {
    const size_t end = end_of_round(trace, ops, begin);
    auto streams = keys_by_stream(trace, std::span(ops).subspan(begin, end - begin));
    if (end == count) std::vector<uint32_t>().swap(ops);
    merge(trace, streams, order);
    begin = end;
  }
  return {std::move(order), true};
}

}  // namespace deepprof
