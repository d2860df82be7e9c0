#include "analysis/breakdown/sm_efficiency.h"

#include <algorithm>
#include <vector>

namespace deepprof {
namespace {

constexpr double kUnknown = -1;

uint64_t blocks_of(const Trace& trace, const Op& op) {
  if (op.detail == 0 || op.detail >= trace.details.size()) return 0;
  const Detail& detail = trace.details[op.detail];
  return uint64_t{detail.grid_x} * detail.grid_y * detail.grid_z;
}

uint32_t sms_of(const Trace& trace, uint16_t device) {
  for (const Device& known : trace.devices) {
    if (known.id == device) return known.sm_count;
  }
  return 0;
}

// The level (share of SMs filled) changes at starts and ends of kernels; between changes it is
// added to the windows it touches.
class Fill {
 public:
  Fill(uint32_t sms, std::span<const Window> windows) : sms_(sms), windows_(windows) {}

  void start(int64_t start_ns, int64_t end_ns, uint64_t blocks) {
    run_until(start_ns);
    running_.push_back({end_ns, blocks});
    std::push_heap(running_.begin(), running_.end(), ends_later);
    blocks_ += blocks;
  }
  double finish() {
    run_until(INT64_MAX);
    return filled_ns_;
  }

 private:
  struct Kernel {
    int64_t end_ns;
    uint64_t blocks;
  };
  static bool ends_later(const Kernel& a, const Kernel& b) { return a.end_ns > b.end_ns; }

  void run_until(int64_t to) {
    while (!running_.empty() && running_.front().end_ns <= to) {
      add_level(running_.front().end_ns);
      blocks_ -= running_.front().blocks;
      std::pop_heap(running_.begin(), running_.end(), ends_later);
      running_.pop_back();
    }
    if (to != INT64_MAX) add_level(to);
  }
  void add_level(int64_t to) {
    if (to <= now_) return;
    const double level = std::min(1.0, static_cast<double>(blocks_) / sms_);
    while (first_ < windows_.size() && windows_[first_].end_ns <= now_) ++first_;
    for (size_t i = first_; level > 0 && i < windows_.size() && windows_[i].start_ns < to; ++i) {
      const int64_t piece = std::min(to, windows_[i].end_ns) - std::max(now_, windows_[i].start_ns);
      if (piece > 0) filled_ns_ += level * static_cast<double>(piece);
    }
    now_ = to;
  }

  uint32_t sms_;
  std::span<const Window> windows_;
  size_t first_ = 0;
  int64_t now_ = INT64_MIN;
  uint64_t blocks_ = 0;
  std::vector<Kernel> running_;  // a heap, the one that ends first on top
  double filled_ns_ = 0;
};

}  // namespace

double sm_filled_ns(const Trace& trace, std::span<const uint32_t> ops,
                    std::span<const Window> windows) {
  if (ops.empty()) return kUnknown;
  const uint32_t sms = sms_of(trace, trace.ops[ops[0]].device);
  if (sms == 0) return kUnknown;
  Fill fill(sms, windows);
  for (const uint32_t index : ops) {
    const Op& op = trace.ops[index];
    if (op.kind == Kind::graph) return kUnknown;
    if (op.kind != Kind::kernel) continue;
    const uint64_t blocks = blocks_of(trace, op);
    if (blocks == 0) return kUnknown;
    fill.start(op.start_ns, op.end_ns(), blocks);
  }
  return fill.finish();
}

}  // namespace deepprof
