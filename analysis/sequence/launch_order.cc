#include "analysis/sequence/launch_order.h"

#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>

#include "analysis/model/reserve_huge.h"

namespace deepprof {
namespace {

constexpr uint32_t kEnd = UINT32_MAX;  // LaunchKey::op behind the last op of a stream

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
    if (ids.last != 0)
      ids.launches +=
          int64_t{op.correlation - ids.last + LaunchNumbers::kSlack} - LaunchNumbers::kSlack;
    ids.last = op.correlation;
    if (ids.launches > kRound && op.start_ns - start_ns > kShortest_ns) return i;
  }
  return ops.size();
}

// Each stream's in start order.
std::vector<std::vector<LaunchKey>> keys_by_stream(const Trace& trace,
                                                   std::span<const uint32_t> ops) {
  std::vector<std::vector<LaunchKey>> streams;
  StreamIndex stream_of;
  LaunchNumbers launch_of;
  for (const uint32_t index : ops) {
    const Op& op = trace.ops[index];
    const uint32_t launch = launch_of(op), stream = stream_of(op);
    if (stream == streams.size()) {
      streams.emplace_back();
      // Most jobs have one busy stream, the first; room that is never touched costs no memory.
      if (stream == 0) reserve_huge(streams[0], ops.size() + 1);
    }
    streams[stream].push_back({launch, index});
  }
  return streams;
}

void merge(const Trace& trace, std::vector<std::vector<LaunchKey>>& streams,
           std::vector<uint32_t>& order) {
  const auto before = [&](const LaunchKey& a, const LaunchKey& b) {
    return is_before(trace, a, b);
  };
  const auto after = [&](const std::vector<LaunchKey>::iterator& a,
                         const std::vector<LaunchKey>::iterator& b) { return before(*b, *a); };
  size_t count = order.size();
  for (const std::vector<LaunchKey>& keys : streams) count += keys.size();
  reserve_huge(order, count);
  std::vector<std::vector<LaunchKey>::iterator> heads;
  for (std::vector<LaunchKey>& keys : streams) {
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
  std::vector<uint32_t> ops = ops_of_device(trace, device);
  StartOrder seen(trace);
  for (const uint32_t op : ops) seen.add(op);
  return launch_order(trace, std::move(ops), seen);
}

LaunchOrder launch_order(const Trace& trace, std::vector<uint32_t> ops, const StartOrder& seen) {
  if (!seen.has_ids() || seen.is_launch_order()) return {std::move(ops), seen.has_ids()};
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
