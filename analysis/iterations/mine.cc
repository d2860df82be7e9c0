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
  const Choice choice = choose(levels, evidence.update_ends.size());
  for (size_t i = 0; i < levels.size(); ++i) {
    const Weighed& w = levels[i];
    Level level{w.level.length, static_cast<uint32_t>(w.starts.size()), w.coverage, ""};
    level.about = format_text("support %u updates %.2f cut %.0f upd %.2f feed %.2f read %.2f pause %.2f unlike %.4f cycle %u%s", w.level.support, w.updates, w.cut.offset, w.cut[Sign::update], w.cut[Sign::feed], w.cut[Sign::read_back], w.cut[Sign::pause], w.unlike, w.cycle, static_cast<int>(i) == choice.index ? " <==" : "");
    mined.levels.push_back(level);
  }
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
