#include "analysis/model/tail.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "analysis/model/facts.h"

namespace deepprof {
namespace {

// More records than a buffer of 1 MiB holds (144 bytes is the shortest kernel's).
constexpr uint64_t kBuffer = (uint64_t{1} << 20) / 128;
// While one lane fills a buffer another that launches as much fills one, too.
constexpr uint64_t kInStep = 2 * kBuffer;
// A lane that is quiet for most of the time may be so for this many times its usual silence.
constexpr uint64_t kUsualSilences = 16;
constexpr uint64_t kFewest = 3;     // ops that show what is usual
constexpr uint64_t kGoodPart = 16;  // one op in so many: it has its part in every iteration

bool may_lack_its_end(const Trace& trace) {
  if (!trace.process.source.starts_with("deepprof ")) return false;
  const bool kept_by_cupti =
      trace.losses[Loss::never_returned] > 0 && trace.losses[Loss::takeover] == 0;
  return !trace.closed || kept_by_cupti || has_fact(trace, kNotClosed);
}

// A stream or a thread, seen from one device: when it had ops, counted in ops of the device.
class Lane {
 public:
  void add(uint64_t at, int64_t end_ns) {
    if (count_++ == 0) first_ = at;
    else silences_[static_cast<size_t>(std::bit_width(at - last_))] += at - last_;
    last_ = at;
    last_end_ns_ = std::max(last_end_ns_, end_ns);
  }
  int64_t last_end_ns() const { return last_end_ns_; }

  // `ops` of the device there are in all.
  bool lags(uint64_t ops) const {
    const uint64_t silence = ops - 1 - last_, lived = last_ - first_ + 1;
    if (count_ < kFewest || silence > lived) return false;
    const uint64_t usual = usual_silence();
    const uint64_t of_others = std::max<uint64_t>(1, lived - count_);
    const double expected =
        static_cast<double>(silence) * static_cast<double>(count_) / static_cast<double>(of_others);
    const bool is_missed = silence >= usual || count_ * kGoodPart >= lived;
    return silence > 0 && is_missed && silence <= std::max(kInStep, kUsualSilences * usual) &&
           expected <= static_cast<double>(kBuffer);
  }

 private:
  // In which the lane was for half of the time, rounded up to a power of two.
  uint64_t usual_silence() const {
    const uint64_t half = (last_ - first_) / 2;
    uint64_t sum = 0;
    size_t bits = 0;
    while (bits + 1 < silences_.size() && (sum += silences_[bits]) <= half) ++bits;
    return uint64_t{1} << bits;
  }

  uint64_t count_ = 0, first_ = 0, last_ = 0;
  int64_t last_end_ns_ = INT64_MIN;
  std::array<uint64_t, 40> silences_{};  // by their bits: how long in all
};

using LaneKey = std::pair<bool, uint64_t>;  // of a thread, and its index; or context and stream
using Lanes = std::map<LaneKey, Lane>;

Lanes lanes_of(const Trace& trace, std::span<const uint32_t> ops) {
  Lanes lanes;
  // Most ops are of the lanes of the one before.
  std::array<Lanes::iterator, 2> last{lanes.end(), lanes.end()};
  const auto lane_of = [&](const LaneKey& key) -> Lane& {
    Lanes::iterator& at = last[key.first ? 1 : 0];
    if (at == lanes.end() || at->first != key) at = lanes.try_emplace(key).first;
    return at->second;
  };
  for (uint64_t at = 0; at < ops.size(); ++at) {
    const Op& op = trace.ops[ops[at]];
    lane_of({false, uint64_t{op.context} << 32 | op.stream}).add(at, op.end_ns());
    if (op.launch != kNone) lane_of({true, trace.calls[op.launch].thread}).add(at, op.end_ns());
  }
  return lanes;
}

std::optional<Tail> tail_of(const Trace& trace, std::span<const uint32_t> ops) {
  std::optional<Tail> tail;
  for (const auto& [key, lane] : lanes_of(trace, ops)) {
    if (!lane.lags(ops.size()) || (tail && tail->start_ns <= lane.last_end_ns())) continue;
    tail.emplace();
    tail->start_ns = lane.last_end_ns();
    tail->of_thread = key.first;
    tail->lane = static_cast<uint32_t>(key.second);
  }
  if (!tail) return tail;
  tail->device = trace.ops[ops[0]].device;
  for (const uint32_t index : ops) {
    tail->end_ns = std::max(tail->end_ns, trace.ops[index].end_ns());
    tail->ops += trace.ops[index].start_ns >= tail->start_ns;
  }
  return tail;
}

}  // namespace

void find_tails(Trace& trace) {
  if (!may_lack_its_end(trace)) return;
  for (const std::vector<uint32_t>& ops : ops_by_device(trace)) {
    if (ops.empty()) continue;
    const std::optional<Tail> tail = tail_of(trace, ops);
    if (!tail || tail->start_ns >= tail->end_ns) continue;
    trace.tails.push_back(*tail);
    trace.holes.push_back({tail->start_ns, tail->end_ns, tail->device});
  }
  unite_holes(trace.holes);
}

}  // namespace deepprof
