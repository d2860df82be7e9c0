#include "libdeepprof/trace/retention.h"

#include <algorithm>

namespace deepprof {
namespace {

// Of the bytes of all segments.
constexpr uint64_t kFirstPart = 16, kSlowPart = 4, kNewestPart = 2;

// A stretch lies in the segments that hold its ops and what the host did meanwhile.
bool holds(const HeldSegment& segment, const SlowStretch& stretch) {
  return segment.lanes->touches(stretch.device, stretch.from_ns, stretch.to_ns) ||
         segment.lanes->touches(LaneSpan::kHost, stretch.from_ns, stretch.to_ns);
}

class Choice {
 public:
  explicit Choice(std::span<const HeldSegment> segments)
      : segments_(segments), kept_(segments.size(), false) {
    for (const HeldSegment& segment : segments_) total_ += segment.bytes;
  }

  void keep_newest() {
    uint64_t bytes = 0;
    for (size_t i = segments_.size(); i-- > 0 && bytes < total_ / kNewestPart;) {
      bytes += segments_[i].bytes;
      kept_[i] = true;
    }
  }
  // Segments from number 1 on, as far as none of them has gone.
  void keep_first() {
    uint64_t bytes = 0;
    for (size_t i = 0; i < segments_.size() && segments_[i].number == i + 1; ++i) {
      bytes += segments_[i].bytes;
      if (i > 0 && bytes > total_ / kFirstPart) return;
      kept_[i] = true;
    }
  }
  // All segments of the stretch, or none.
  void keep(const SlowStretch& stretch) {
    uint64_t bytes = slow_bytes_;
    for (size_t i = 0; i < segments_.size(); ++i) {
      if (!kept_[i] && holds(segments_[i], stretch)) bytes += segments_[i].bytes;
    }
    if (bytes > total_ / kSlowPart) return;
    slow_bytes_ = bytes;
    for (size_t i = 0; i < segments_.size(); ++i)
      kept_[i] = kept_[i] || holds(segments_[i], stretch);
  }

  // The oldest that nothing keeps; where there are too few segments for shares, the oldest behind
  // the first.
  size_t oldest_free() const {
    const auto free = std::find(kept_.begin(), kept_.end() - 1, false);
    if (free != kept_.end() - 1) return static_cast<size_t>(free - kept_.begin());
    return segments_.size() > 2 ? 1 : 0;
  }

 private:
  std::span<const HeldSegment> segments_;
  std::vector<bool> kept_;
  uint64_t total_ = 0, slow_bytes_ = 0;
};

}  // namespace

void Retention::keep_slowest(std::span<const SlowStretch> stretches) {
  slowest_.assign(stretches.begin(), stretches.end());
  std::stable_sort(
      slowest_.begin(), slowest_.end(),
      [](const SlowStretch& a, const SlowStretch& b) { return a.excess_ns > b.excess_ns; });
  if (slowest_.size() > kMostStretches) slowest_.resize(kMostStretches);
}

size_t Retention::choose(std::span<const HeldSegment> segments, const LetGo& gone) const {
  Choice choice(segments);
  choice.keep_newest();
  choice.keep_first();
  for (const SlowStretch& stretch : slowest_) {
    if (!gone.touches(stretch.device, stretch.from_ns, stretch.to_ns)) choice.keep(stretch);
  }
  return choice.oldest_free();
}

}  // namespace deepprof
