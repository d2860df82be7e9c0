#include "analysis/iterations/mine.h"

#include <algorithm>
#include <utility>

#include "analysis/iterations/assemble.h"
#include "analysis/iterations/choose.h"
#include "analysis/iterations/distance_opinion.h"
#include "analysis/iterations/weigh.h"
#include "analysis/sequence/sequence.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

std::vector<Stretch> lay_tiles(const Sequence& sequence, const Evidence& evidence, const Weighed& w, DeviceMined&) {
  LevelModel level = w.level;
  rotate(level, w.cut.offset);
  const std::vector<Link> chain = lay_chain(sequence, evidence, level, 0, sequence.size());
  std::vector<uint32_t> starts;
  std::vector<size_t> seen;
  uint32_t last_link = 0;
  for (size_t i = 0; i < chain.size();) {
    size_t j = i + 1;
    while (j < chain.size() && !chain[j].opens) ++j;
    const double offset = level.landmarks[chain[i].landmark].offset;
    uint32_t start = chain[i].at > offset ? static_cast<uint32_t>(chain[i].at - offset) : 0;
    start = std::max(start, starts.empty() ? 0 : last_link + 1);
    starts.push_back(start);
    seen.push_back(j - i);
    last_link = chain[j - 1].at;
    i = j;
  }
  std::vector<Stretch> stretches(3);
  while (!starts.empty() && seen.front() * 2 < level.landmarks.size()) starts.erase(starts.begin()), seen.erase(seen.begin());
  if (starts.empty()) return {{SectionKind::irregular, 0, sequence.size(), {}}};
  stretches[0] = {SectionKind::warm_up, 0, starts.front(), {}};
  const uint32_t end = std::min<uint32_t>(sequence.size(), starts.back() + static_cast<uint32_t>(level.length));
  stretches[1] = {SectionKind::training, starts.front(), end, {}};
  stretches[2] = {SectionKind::irregular, end, sequence.size(), {}};
  for (size_t i = 0; i < starts.size(); ++i) {
    const uint32_t next = i + 1 < starts.size() ? starts[i + 1] : end;
    if (next > starts[i]) stretches[1].tiles.push_back({starts[i], next, i + 1 == starts.size() && seen[i] < level.landmarks.size() * .8});
  }
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
  const std::vector<Stretch> stretches = lay_tiles(sequence, evidence, levels[static_cast<size_t>(choice.index)], mined);
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
