#include "analysis/iterations/search.h"

#include <algorithm>
#include <cmath>

#include "analysis/iterations/confidence.h"
#include "analysis/iterations/ends.h"
#include "analysis/iterations/exact_tiles.h"
#include "analysis/iterations/split.h"

namespace deepprof {
namespace {

constexpr uint32_t kWhole = 2 * kWindow;  // up to here the window is the whole stretch
constexpr uint32_t kLargestWindow = 2'000'000;
constexpr size_t kEnoughTiles = 30;       // in a window: with fewer a wider one is tried
constexpr size_t kMostLinks = 4'000'000;  // laid over a whole stretch
constexpr double kHalf = 0.5;

// Copies in a row (a job that sets itself up, results read one by one) are no iteration, unless
// there is little else.
void drop_rows(const Sequence& sequence, std::vector<Tile>& tiles) {
  size_t kept = 0, ops = 0, beside_rows = 0;
  const auto row = [&](const Tile& tile) {
    return is_mostly_rows(sequence, tile.first, tile.last);
  };
  for (const Tile& tile : tiles) {
    const uint32_t length = tile.last - tile.first;
    if (row(tile)) beside_rows += length - copies_in_rows(sequence, tile.first, tile.last);
    else ++kept, ops += length;
  }
  if (kept >= 2 && ops > beside_rows) std::erase_if(tiles, row);
}

// The repetition to the op that a level is.
std::optional<Run> run_of(const std::vector<Weighed>& levels, const LevelModel& level) {
  for (const Weighed& other : levels) {
    if (other.level.run && std::abs(other.level.run->period - level.length) < kHalf)
      return other.level.run;
  }
  return std::nullopt;
}

// Levels and choice within [first, last), laid out over [whole_first, whole_last).
Found search_window(const Trace& trace, const Sequence& sequence, Evidence& evidence,
                    uint32_t first, uint32_t last, uint32_t whole_first, uint32_t whole_last) {
  Found found;
  found.window_first = first;
  found.window_last = last;
  collect_pauses(trace, sequence, first, last, evidence);
  const CopyTime copy_time(trace, sequence, first, last);
  for (LevelModel& level : find_levels(sequence, evidence, first, last)) {
    found.levels.push_back(weigh(copy_time, sequence, evidence, std::move(level), {first, last},
                                 {whole_first, whole_last}));
  }
  const size_t updates =
      evidence.updates() == nullptr ? 0 : within(evidence.updates()->at, first, last + 1).size();
  found.choice = choose(found.levels, updates);
  if (found.choice.index < 0) return found;
  Weighed& chosen = found.levels[static_cast<size_t>(found.choice.index)];
  const double scale = static_cast<double>(whole_last - whole_first) / (last - first);
  LevelModel thinned = chosen.level;
  thin(thinned, static_cast<size_t>(kMostLinks / scale));
  Weighed laid = chosen;
  laid.level = std::move(thinned);
  found.tiles = split_by_signs(sequence, evidence,
                               lay_tiles(sequence, evidence, laid, whole_first, whole_last),
                               whole_first, whole_last);
  if (const std::optional<Run> run = run_of(found.levels, chosen.level))
    align_to_run(*run, found.tiles);
  settle_ends(sequence, evidence, whole_first, whole_last, found.tiles);
  drop_rows(sequence, found.tiles);
  found.iterations = found.choice.is_iteration;
  found.confidence =
      confidence(sequence, chosen, found.choice, found.tiles, whole_first, whole_last);
  return found;
}

// Share of [first, last) inside tiles.
double covered(const std::vector<Tile>& tiles, uint32_t first, uint32_t last) {
  double sum = 0;
  for (const Tile& tile : tiles) sum += tile.last - tile.first;
  return sum / (last - first);
}

}  // namespace

Found search(const Trace& trace, const Sequence& sequence, Evidence& evidence, uint32_t first,
             uint32_t last) {
  const uint32_t n = last - first;
  if (n <= kWhole) return search_window(trace, sequence, evidence, first, last, first, last);
  Found best;
  // From the middle: jobs begin and end unlike themselves.
  for (const uint32_t sixth : {3u, 5u, 1u}) {
    for (uint64_t size = kWindow;; size *= 3) {
      const auto width = static_cast<uint32_t>(std::min<uint64_t>({size, n, kLargestWindow}));
      const auto middle = first + static_cast<uint64_t>(n) * sixth / 6;
      const auto from = static_cast<uint32_t>(std::clamp<uint64_t>(
          middle - std::min<uint64_t>(middle, width / 2), first, last - width));
      Found found = search_window(trace, sequence, evidence, from, from + width, first, last);
      const Weighed* chosen = found.chosen();
      const bool enough =
          chosen != nullptr && found.iterations && chosen->starts.size() >= kEnoughTiles;
      if (best.choice.index < 0 || found.confidence > best.confidence) best = std::move(found);
      if (enough || width == n || width == kLargestWindow) break;
    }
    if (best.iterations && covered(best.tiles, first, last) > kHalf) break;
  }
  return best;
}

}  // namespace deepprof
