#include "analysis/online/trial.h"

#include <algorithm>
#include <cmath>

#include "analysis/online/run_recorder.h"

namespace deepprof {

std::span<const Event> covered(std::span<const Event> ops, std::span<const OpRange> tiles) {
  return ops.subspan(tiles.front().first, tiles.back().last - tiles.front().first);
}

bool is_close(uint64_t counted, uint64_t mined) {
  const uint64_t off = counted > mined ? counted - mined : mined - counted;
  return off <= 1 + mined / 200;
}

Trial try_out(const Pattern& pattern, std::span<const Event> ops) {
  RunRecorder trial(0);
  trial.set_pattern(pattern);
  trial.look_at(ops);
  Follower(pattern).follow(trial.names(), true, trial);
  const RunStatistics& run = trial.statistics();
  return {trial.counted(), static_cast<double>(run.explained_ops) /
                               static_cast<double>(std::max<uint64_t>(1, run.ops))};
}

// At 5 % noise 96 % of the ops are explained.
bool is_steady(const Consensus& made, std::span<const Event> ops, const MinedStretch& found) {
  constexpr double kLeastExplained = .9;
  if (made.pattern.empty() || made.alone > 1 + found.tiles.size() / 50) return false;
  const std::span<const OpRange> tiles = typical_part(found.tiles);
  if (tiles.empty()) return false;
  const Trial trial = try_out(made.pattern, covered(ops, tiles));
  return trial.explained >= kLeastExplained && is_close(trial.counted, tiles.size());
}

double snapped(double ratio) {
  const double times = std::max(1.0, std::round(ratio >= 1 ? ratio : 1 / ratio));
  const double whole = ratio >= 1 ? times : 1 / times;
  return std::abs(ratio / whole - 1) <= .03 ? whole : ratio;
}

}  // namespace deepprof
