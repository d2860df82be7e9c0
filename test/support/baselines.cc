#include "test/support/baselines.h"

#include <algorithm>

#include "analysis/iterations/distance_opinion.h"
#include "analysis/sequence/sequence.h"

namespace deepprof::test {
namespace {

constexpr uint32_t kSamples = 2000;  // positions compared for each lag
constexpr double kLeastEqual = 0.5;  // below: no answer
constexpr double kTie = 0.01;

double equal_share(const std::vector<uint32_t>& s, uint32_t lag) {
  const uint32_t n = static_cast<uint32_t>(s.size()) - lag;
  const uint32_t step = std::max(1u, n / kSamples);
  uint32_t equal = 0, compared = 0;
  for (uint32_t i = 0; i < n; i += step) equal += s[i] == s[i + lag], ++compared;
  return static_cast<double>(equal) / compared;
}

}  // namespace

std::vector<uint32_t> equal_lag_cuts(const Trace& trace, uint16_t device) {
  const Sequence sequence = make_sequence(trace, device, false);
  const uint32_t n = sequence.size();
  uint32_t best_lag = 0;
  double best = kLeastEqual;
  for (uint32_t lag = 8; lag <= n / 2; ++lag) {
    const double share = equal_share(sequence.symbols, lag);
    if (share > best + (best_lag > 0 ? kTie : 0)) best = share, best_lag = lag;
  }
  std::vector<uint32_t> cuts;
  for (uint32_t at = 0; best_lag > 0 && at < n; at += best_lag)
    cuts.push_back(sequence.order[sequence.position(at)]);
  return cuts;
}

std::vector<uint32_t> distance_cuts(const Trace& trace, uint16_t device) {
  const Sequence sequence = make_sequence(trace, device, false);
  const DistanceOpinion opinion = distance_opinion(sequence.symbols);
  std::vector<uint32_t> cuts;
  if (opinion.coverage < kLeastEqual) return cuts;
  for (const uint32_t at : opinion.occurrences)
    cuts.push_back(sequence.order[sequence.position(at)]);
  return cuts;
}

}  // namespace deepprof::test
