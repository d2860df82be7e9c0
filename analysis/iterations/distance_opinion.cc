#include "analysis/iterations/distance_opinion.h"

#include <algorithm>

namespace deepprof {
namespace {

constexpr uint32_t kStretch = 6;    // symbols in a stretch
constexpr double kTolerance = 0.1;  // distances this close count as the same
constexpr double kTie = 0.02;       // coverages this close: the shorter distance wins
constexpr uint32_t kUnseen = UINT32_MAX;

// The positions at which each distinct stretch occurs: chained hashing, verified symbol by symbol.
class Stretches {
 public:
  explicit Stretches(std::span<const uint32_t> symbols)
      : symbols_(symbols), previous_(symbols.size() - kStretch + 1, kUnseen) {
    size_t buckets = 16;
    while (buckets < previous_.size() * 2) buckets *= 2;
    last_.assign(buckets, kUnseen);
    for (uint32_t at = 0; at < previous_.size(); ++at) {
      size_t bucket = hash(at) & (buckets - 1);
      while (last_[bucket] != kUnseen && !equal(last_[bucket], at))
        bucket = (bucket + 1) & (buckets - 1);
      previous_[at] = last_[bucket];
      last_[bucket] = at;
    }
  }
  // last occurrence, by bucket
  const std::vector<uint32_t>& last() const { return last_; }
  // occurrence before this one
  uint32_t previous(uint32_t at) const { return previous_[at]; }

 private:
  uint64_t hash(uint32_t at) const {
    uint64_t h = 0;
    for (uint32_t i = 0; i < kStretch; ++i)
      h = (h ^ symbols_[at + i]) * 0x9E3779B97F4A7C15ull, h ^= h >> 29;
    return h;
  }
  bool equal(uint32_t a, uint32_t b) const {
    return std::equal(symbols_.begin() + a, symbols_.begin() + a + kStretch, symbols_.begin() + b);
  }
  std::span<const uint32_t> symbols_;
  std::vector<uint32_t> previous_, last_;
};

struct Anchor {
  uint32_t last = 0;
  double distance = 0, coverage = 0;
};

Anchor judge(const Stretches& stretches, uint32_t last, double size, std::vector<uint32_t>& gaps) {
  gaps.clear();
  for (uint32_t at = last; stretches.previous(at) != kUnseen; at = stretches.previous(at)) {
    gaps.push_back(at - stretches.previous(at));
  }
  if (gaps.size() < 2) return {};  // one distance is no evenness
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  const double distance = *middle;
  double covered = 0;
  for (const uint32_t gap : gaps) {
    if (gap >= distance * (1 - kTolerance) && gap <= distance * (1 + kTolerance)) covered += gap;
  }
  return {last, distance, std::min(1.0, (covered + distance) / size)};
}

// More of the string; where that ties, the shorter distance.
bool better(const Anchor& a, const Anchor& b) {
  const bool tie = a.coverage > b.coverage - kTie && a.coverage < b.coverage + kTie;
  if (!tie || a.coverage == 0) return a.coverage > b.coverage;
  if (a.distance < b.distance * (1 - kTolerance)) return true;
  return a.coverage > b.coverage && a.distance <= b.distance * (1 + kTolerance);
}

}  // namespace

DistanceOpinion distance_opinion(std::span<const uint32_t> symbols) {
  DistanceOpinion opinion;
  if (symbols.size() < 2 * kStretch) return opinion;
  const Stretches stretches(symbols);
  std::vector<uint32_t> gaps;
  Anchor best;
  for (const uint32_t last : stretches.last()) {
    if (last == kUnseen) continue;
    const Anchor anchor = judge(stretches, last, static_cast<double>(symbols.size()), gaps);
    if (better(anchor, best)) best = anchor;
  }
  if (best.coverage <= 0) return opinion;
  opinion.distance = best.distance;
  opinion.coverage = best.coverage;
  for (uint32_t at = best.last; at != kUnseen; at = stretches.previous(at))
    opinion.occurrences.push_back(at);
  std::reverse(opinion.occurrences.begin(), opinion.occurrences.end());
  return opinion;
}

}  // namespace deepprof
