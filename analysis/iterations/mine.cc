#include "analysis/iterations/mine.h"

#include <algorithm>
#include <utility>

#include "analysis/iterations/assemble.h"
#include "analysis/iterations/choose.h"
#include "analysis/iterations/distance_opinion.h"
#include "analysis/iterations/split.h"
#include "analysis/iterations/weigh.h"
#include "analysis/sequence/sequence.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

constexpr double kWorthNaming = 0.5;  // coverage of a level that is listed beside the chosen one

std::vector<Stretch> stretches_of(const std::vector<Tile>& tiles, uint32_t last) {
  std::vector<Stretch> stretches;
  uint32_t at = 0;
  for (const Tile& tile : tiles) {
    if (tile.first > at) stretches.push_back({SectionKind::irregular, at, tile.first, {}});
    if (stretches.empty() || stretches.back().tiles.empty()) stretches.push_back({SectionKind::training, tile.first, tile.last, {}});
    stretches.back().last = tile.last;
    stretches.back().tiles.push_back(tile);
    at = tile.last;
  }
  if (at < last) stretches.push_back({SectionKind::irregular, at, last, {}});
  return stretches;
}

// The levels that were weighed, the chosen one first, each in words that relate it to the chosen one.
void describe_levels(const std::vector<Weighed>& levels, int chosen, DeviceMined& mined) {
  if (chosen < 0) return;
  const double length = levels[static_cast<size_t>(chosen)].level.length;
  for (size_t i = 0; i < levels.size(); ++i) {
    const Weighed& w = levels[i];
    const bool is_chosen = static_cast<int>(i) == chosen;
    const double ratio = w.level.length / length;
    if (!is_chosen && (w.coverage < kWorthNaming || (ratio > 0.8 && ratio < 1.25))) continue;
    Level level{w.level.length, static_cast<uint32_t>(w.starts.size()), w.coverage, "iterations"};
    if (ratio <= 0.8) level.about = format_text("parts, %.0f in each iteration", 1 / ratio);
    if (ratio >= 1.25) level.about = format_text("groups of %.3g iterations", ratio);
    mined.levels.insert(is_chosen ? mined.levels.begin() : mined.levels.end(), level);
  }
}

DeviceMined mine_device(const Trace& trace, uint16_t device, const MineOptions& options) {
  const Sequence sequence = make_sequence(trace, device, options.use_names);
  DeviceMined mined;
  mined.device = device;
  mined.order = sequence.order;
  mined.launch_order = sequence.launch_order;
  const Evidence evidence = collect_evidence(trace, sequence);
  std::vector<Weighed> levels;
  for (LevelModel& level : find_levels(sequence, evidence, 0, sequence.size())) {
    levels.push_back(weigh(sequence, evidence, std::move(level), 0, sequence.size()));
  }
  const Choice choice = choose(levels, evidence.updates() == nullptr ? 0 : evidence.updates()->at.size());
  describe_levels(levels, choice.index, mined);
  if (choice.index < 0) {
    mined.reason = choice.reason;
    return mined;
  }
  const std::vector<Stretch> stretches = stretches_of(
      split_by_signs(sequence, evidence, lay_tiles(sequence, evidence, levels[static_cast<size_t>(choice.index)], 0, sequence.size()), 0, sequence.size()), sequence.size());
  assemble(trace, sequence, stretches, mined);
  mined.verdict = choice.is_iteration ? Verdict::iteration : Verdict::repeating_block;
  mined.confidence = levels[static_cast<size_t>(choice.index)].coverage;
  mined.decided_by = choice.decided_by;
  return mined;
}

}  // namespace

Mined mine(const Trace& trace, const MineOptions& options) {
  Mined mined;
  for (const uint16_t device : devices_with_ops(trace)) mined.devices.push_back(mine_device(trace, device, options));
  return mined;
}

}  // namespace deepprof
