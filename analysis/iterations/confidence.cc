#include "analysis/iterations/confidence.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace deepprof {
namespace {

constexpr double kFullSupport = 12;  // places of the repetition that return with it
constexpr double kShortLoss = 2;     // ops: so many of a repetition say nothing

// Without an optimizer two that take turns may be iterations themselves.
constexpr double kPair = 0.9;
constexpr double kGap = 0.15;            // of the usual length: what may be an iteration
constexpr uint32_t kSomethingElse = 25;  // kernels

// How much each kind of evidence is worth when it stands at every cut.
double worth(const Weighed& chosen, const Choice& choice) {
  constexpr std::array<double, kSigns> kWorth = {1.0, 0.99, 0.75, 0.93, 0.9, 0.9};  // by Sign
  double best = choice.is_iteration ? (choice.exact ? 0.9 : 0.7) : 0.5;
  for (size_t sign = 0; sign < kSigns; ++sign) {
    const double share = chosen.best[sign];
    if (share >= 0.6) best = std::max(best, kWorth[sign] * (0.9 + 0.1 * share));
  }
  return best;
}

}  // namespace

bool ends_with_something_else(const Sequence& sequence, const std::vector<Tile>& tiles) {
  std::vector<uint32_t> behind(sequence.hints.size(), 0);  // kernels, by symbol
  uint32_t strange = 0;
  for (uint32_t at = tiles.back().last; at < sequence.size(); ++at) {
    if (!is_kernel(sequence.hint(at))) continue;
    ++behind[sequence.symbols[at]];
    ++strange;
  }
  // The last one is nearly always enough to know them.
  for (size_t i = tiles.size(); i-- > 0;) {
    if (strange < kSomethingElse) return false;
    for (uint32_t at = tiles[i].first; at < tiles[i].last; ++at)
      strange -= std::exchange(behind[sequence.symbols[at]], 0);
  }
  return strange >= kSomethingElse;
}

double by_coverage(const Sequence& sequence, const std::vector<Tile>& tiles, uint32_t first,
                   uint32_t last) {
  double covered = 0, rows = 0;
  uint32_t at = first;
  for (const Tile& tile : tiles) {
    rows += copies_in_rows(sequence, at, tile.first);
    covered += tile.last - tile.first;
    at = tile.last;
  }
  rows += copies_in_rows(sequence, at, last);
  return 0.1 + 0.9 * covered / (last - first - rows);
}

double by_gaps(const Sequence& sequence, const std::vector<Tile>& tiles) {
  const double least = kGap * usual_length(tiles);
  double gaps = 0;
  for (size_t i = 1; i < tiles.size(); ++i) {
    const uint32_t first = tiles[i - 1].last, last = tiles[i].first;
    gaps += last - first >= least && last > first && !is_mostly_rows(sequence, first, last);
  }
  const auto count = static_cast<double>(tiles.size());
  return count / (count + gaps);
}

double by_count(size_t tiles) {
  // The second and the third repetition halve the chance that likeness is nothing but that; what
  // returns more often than that is hardly chance.
  double chance = 1;
  for (size_t i = 1; i < std::min<size_t>(tiles, 20); ++i) chance /= i < 3 ? 2 : 3;
  return 1 - chance;
}

double confidence(const Sequence& sequence, const Weighed& chosen, const Choice& choice,
                  const std::vector<Tile>& tiles, uint32_t first, uint32_t last) {
  if (tiles.empty()) return 0;
  const double support =
      std::min(1.0, chosen.level.support / std::min(kFullSupport, chosen.level.length));
  const double brevity = chosen.level.length / (chosen.level.length + kShortLoss);
  const double alike = 1 - 0.2 * chosen.unlike;
  return worth(chosen, choice) * by_coverage(sequence, tiles, first, last) *
         by_count(tiles.size()) * support * brevity * alike * (choice.pairs ? kPair : 1);
}

double share_far_from_usual(const DeviceMined& device) {
  constexpr double kFar = 0.25;  // of the usual number of ops
  double far = 0, all = 0;
  for (const Iteration& iteration : device.iterations) {
    if (iteration.partial || iteration.section >= device.sections.size()) continue;
    const SectionKind kind = device.sections[iteration.section].kind;
    const double ops = iteration.last - iteration.first;
    const bool sets_up = kind == SectionKind::warm_up && ops < device.ops_per_iteration;
    if (!is_usual(kind) && !sets_up) continue;
    ++all;
    far += std::fabs(ops - device.ops_per_iteration) > kFar * device.ops_per_iteration;
  }
  return all > 0 ? far / all : 0;
}

}  // namespace deepprof
