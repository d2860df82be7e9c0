#include "analysis/import/settle_clocks.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "analysis/model/facts.h"

namespace deepprof {
namespace {

int64_t delay_ns(const Trace& trace, const Op& op) {
  return op.start_ns - trace.calls[op.launch].start_ns;
}

int64_t host_span_ns(const Trace& trace) {
  if (trace.calls.empty()) return 0;
  int64_t end_ns = trace.calls.front().start_ns;
  for (const HostCall& call : trace.calls) end_ns = std::max(end_ns, call.end_ns());
  return end_ns - trace.calls.front().start_ns;
}

// The launches of a device's ops: how long after its call each began. Nearly always they are as
// they should be, and nothing is kept of each.
class Launches {
 public:
  void add(const Op& op, int64_t delay_ns) {
    constexpr int64_t kEarly_ns = 1'000'000;
    if (count_ == 0) first_ns_ = op.start_ns;
    last_ns_ = op.end_ns();
    least_ns_ = std::min(least_ns_, delay_ns);
    early_ += delay_ns < -kEarly_ns;
    ++count_;
  }

  // No op waits for longer than there was a recording, and none begins before its launch; that some
  // seem to by a little is usual.
  bool impossible(int64_t host_span_ns) const {
    constexpr int64_t kLongWait_ns = 10'000'000'000;
    return count_ > 0 &&
           (least_ns_ > std::max(span_ns(host_span_ns), kLongWait_ns) || 2 * early_ > count_);
  }

  // Whether the clocks keep their distance: the shortest delays of most parts of the recording are
  // alike. Within a part ops may queue for any time.
  bool apart_by_one_time(const Trace& trace, uint16_t device, int64_t host_span_ns) const {
    constexpr size_t kParts = 8;
    constexpr int64_t kAlike_ns = 1'000'000;
    if (count_ < kParts) return true;
    std::array<int64_t, kParts> least;
    least.fill(INT64_MAX);
    size_t part = 0, seen = 0;
    for (const Op& op : trace.ops) {
      if (op.device != device || op.launch == kNone) continue;
      if (seen++ == (part + 1) * count_ / kParts) ++part;
      least[part] = std::min(least[part], delay_ns(trace, op));
    }
    const int64_t alike_ns = std::max(kAlike_ns, span_ns(host_span_ns) / 100);
    const auto alike = std::count_if(least.begin(), least.end(),
                                     [&](int64_t ns) { return ns - least_ns_ <= alike_ns; });
    return 2 * static_cast<size_t>(alike) > kParts;
  }
  int64_t least_ns() const { return least_ns_; }

 private:
  int64_t span_ns(int64_t host_span_ns) const {
    return std::max(last_ns_ - first_ns_, host_span_ns);
  }

  size_t count_ = 0, early_ = 0;
  int64_t first_ns_ = 0, last_ns_ = 0, least_ns_ = INT64_MAX;
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
  std::array<Launches, UINT8_MAX + 1> of_device;
  for (const Op& op : trace.ops) {
    if (op.launch != kNone && op.device < of_device.size())
      of_device[op.device].add(op, delay_ns(trace, op));
  }
  const int64_t span_ns = host_span_ns(trace);
  int64_t moved_ns = 0;
  bool unusable = false;
  for (uint16_t device = 0; device < of_device.size(); ++device) {
    const Launches& launches = of_device[device];
    if (!launches.impossible(span_ns)) continue;
    if (launches.apart_by_one_time(trace, device, span_ns)) {
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
