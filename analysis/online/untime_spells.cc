#include "analysis/online/untime_spells.h"

#include <algorithm>

#include "libdeepprof/trace/bytes.h"

namespace deepprof {
namespace {

// Stored statistics may hold anything.
int64_t end_of(const SlowInRun& slow) { return wrapping_add(slow.start_ns, slow.duration_ns); }

bool holds_spell(std::span<const Spell> spells, const SlowInRun& slow) {
  return std::any_of(spells.begin(), spells.end(), [&](const Spell& spell) {
    return slow.start_ns < spell.end_ns && spell.start_ns < end_of(slow);
  });
}

// It was added to the slice that was open when the next one began.
void take_out(const SlowInRun& slow, uint32_t kind, std::vector<RunSlice>& slices) {
  for (auto slice = slices.rbegin(); slice != slices.rend(); ++slice) {
    if (slice->start_ns > end_of(slow)) continue;
    for (KindInSlice& part : slice->kinds) {
      if (part.kind != kind || part.iterations == 0 || part.time_ns < slow.duration_ns) continue;
      --part.iterations;
      part.time_ns -= slow.duration_ns;
      return;
    }
  }
}

void untime(std::span<const Spell> spells, uint32_t kind, IterationStats& stats,
            std::vector<RunSlice>& slices) {
  const auto gone = std::stable_partition(
      stats.slow.begin(), stats.slow.end(),
      [&](const SlowInRun& slow) { return slow.duration_ns <= 0 || !holds_spell(spells, slow); });
  const int64_t longest_ns = gone == stats.slow.begin() ? 0 : stats.slow.front().duration_ns;
  for (const SlowInRun& slow : std::span(gone, stats.slow.end())) {
    stats.time.remove(slow.duration_ns, longest_ns);
    stats.slow_count -= stats.slow_count > 0;
    take_out(slow, kind, slices);
  }
  stats.slow.erase(gone, stats.slow.end());
}

}  // namespace

void untime_spells(std::span<const Spell> spells, RunStatistics& run) {
  if (spells.empty()) return;
  for (uint32_t kind = 0; kind < run.iterations.size(); ++kind)
    untime(spells, kind, run.iterations[kind], run.slices);
  untime(spells, KindInSlice::kVarying, run.varying, run.slices);
}

}  // namespace deepprof
