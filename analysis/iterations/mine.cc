#include "analysis/iterations/mine.h"

#include <utility>

#include "analysis/iterations/assemble.h"
#include "analysis/iterations/distance_opinion.h"
#include "analysis/sequence/sequence.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

DeviceMined mine_device(const Trace& trace, uint16_t device, const MineOptions& options) {
  Sequence sequence = make_sequence(trace, device, options.use_names);
  DeviceMined mined;
  mined.device = device;
  mined.order = std::move(sequence.order);
  mined.launch_order = sequence.launch_order;
  sequence.order.resize(mined.order.size());
  const DistanceOpinion opinion = distance_opinion(sequence.symbols);
  if (opinion.occurrences.size() < 2 || opinion.coverage < .5) {
    mined.reason = "no stretch of ops returns at an even distance";
    return mined;
  }
  std::vector<Stretch> stretches(3);
  const auto& at = opinion.occurrences;
  stretches[0] = {SectionKind::warm_up, 0, at.front(), {}};
  stretches[1] = {SectionKind::training, at.front(), at.back(), {}};
  stretches[2] = {SectionKind::irregular, at.back(), sequence.size(), {}};
  for (size_t i = 0; i + 1 < at.size(); ++i) stretches[1].tiles.push_back({at[i], at[i + 1], false});
  assemble(trace, sequence, stretches, mined);
  mined.verdict = Verdict::iteration;
  mined.confidence = opinion.coverage;
  mined.levels.push_back({mined.ops_per_iteration, static_cast<uint32_t>(mined.iterations.size()), opinion.coverage, "iterations"});
  mined.decided_by = "the stretch of ops that returns most evenly";
  return mined;
}

}  // namespace

Mined mine(const Trace& trace, const MineOptions& options) {
  Mined mined;
  for (const uint16_t device : devices_with_ops(trace)) mined.devices.push_back(mine_device(trace, device, options));
  return mined;
}

}  // namespace deepprof
