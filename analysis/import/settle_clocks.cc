#include "analysis/import/settle_clocks.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "analysis/model/facts.h"

namespace deepprof {
namespace {

// An op of a device and how long after its call it began.
struct Delay {
  uint32_t op = 0;
  int64_t ns = 0;
};
int64_t least_of(const Delay* begin, const Delay* end) {
  return std::min_element(begin, end, [](const Delay& a, const Delay& b) { return a.ns < b.ns; })
      ->ns;
}

int64_t host_span_ns(const Trace& trace) {
  int64_t end_ns = trace.calls.front().start_ns;
  for (const HostCall& call : trace.calls) end_ns = std::max(end_ns, call.end_ns());
  return end_ns - trace.calls.front().start_ns;
}

// The launches of a device's ops, in the order of the ops.
class Launches {
 public:
  Launches(const Trace& trace, std::vector<Delay> delays)
      : delays_(std::move(delays)), least_ns_(least_of(begin(), end())) {
    const Op &first = trace.ops[delays_.front().op], &last = trace.ops[delays_.back().op];
    span_ns_ = std::max(last.end_ns() - first.start_ns, host_span_ns(trace));
  }

  // No op waits for longer than there was a recording, and none begins before its launch; that some
  // seem to by a little is usual.
  bool impossible() const {
    constexpr int64_t kLongWait_ns = 10'000'000'000, kEarly_ns = 1'000'000;
    const auto early = std::count_if(delays_.begin(), delays_.end(),
                                     [](const Delay& delay) { return delay.ns < -kEarly_ns; });
    return least_ns_ > std::max(span_ns_, kLongWait_ns) ||
           2 * static_cast<size_t>(early) > delays_.size();
  }

  // Whether the clocks keep their distance: the shortest delays of most parts of the recording are
  // alike. Within a part ops may queue for any time.
  bool apart_by_one_time() const {
    constexpr size_t kParts = 8;
    constexpr int64_t kAlike_ns = 1'000'000;
    if (delays_.size() < kParts) return true;
    size_t alike = 0;
    for (size_t part = 0; part < kParts; ++part) {
      const int64_t least = least_of(begin() + part * delays_.size() / kParts,
                                     begin() + (part + 1) * delays_.size() / kParts);
      if (least - least_ns_ <= std::max(kAlike_ns, span_ns_ / 100)) ++alike;
    }
    return 2 * alike > kParts;
  }
  int64_t least_ns() const { return least_ns_; }

 private:
  const Delay* begin() const { return delays_.data(); }
  const Delay* end() const { return delays_.data() + delays_.size(); }

  std::vector<Delay> delays_;
  int64_t least_ns_ = 0, span_ns_ = 0;
};

void move_device(Trace& trace, uint16_t device, int64_t by_ns) {
  for (Op& op : trace.ops) {
    if (op.device == device) op.start_ns += by_ns;
  }
  for (Hole& hole : trace.holes) {
    if (hole.device != device) continue;
    hole.start_ns += by_ns;
    hole.end_ns += by_ns;
  }
}

void part_from_launches(Trace& trace, uint16_t device) {
  for (Op& op : trace.ops) {
    if (op.device == device) op.correlation = 0;
  }
}

}  // namespace

void settle_clocks(Trace& trace) {
  std::array<std::vector<Delay>, UINT8_MAX + 1> of_device;
  for (uint32_t index = 0; index < trace.ops.size(); ++index) {
    const Op& op = trace.ops[index];
    if (op.launch != kNone && op.device < of_device.size())
      of_device[op.device].push_back({index, op.start_ns - trace.calls[op.launch].start_ns});
  }
  int64_t moved_ns = 0;
  bool unusable = false;
  for (uint16_t device = 0; device < of_device.size(); ++device) {
    if (of_device[device].empty()) continue;
    const Launches launches(trace, std::move(of_device[device]));
    if (!launches.impossible()) continue;
    if (launches.apart_by_one_time()) {
      move_device(trace, device, -launches.least_ns());
      if (std::llabs(launches.least_ns()) > std::llabs(moved_ns)) moved_ns = -launches.least_ns();
    } else {
      part_from_launches(trace, device);
      unusable = true;
    }
  }
  if (moved_ns == 0 && !unusable) return;
  if (moved_ns != 0) trace.process.facts.emplace_back(kClockMoved, std::to_string(moved_ns));
  if (unusable) trace.process.facts.emplace_back(kClockUnusable, "1");
  trace.finish();
}

}  // namespace deepprof
