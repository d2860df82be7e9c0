#include "analysis/iterations/exact_tiles.h"

#include <algorithm>
#include <map>
#include <optional>

namespace deepprof {
namespace {

constexpr double kLittle = 0.3;    // of the period: less beside the run is no iteration
constexpr double kWhole = 0.9;     // of the period: as much is not partial
constexpr double kTrailing = 0.1;  // of the period: so much behind a repetition still belongs to it

// Ops behind the run's beginning at which more than half of the tiles in it begin.
std::optional<uint32_t> phase(const Run& run, const std::vector<Tile>& tiles) {
  std::map<uint32_t, size_t> counts;
  size_t all = 0;
  for (const Tile& tile : tiles) {
    if (tile.first < run.first || tile.first >= run.last) continue;
    ++counts[(tile.first - run.first) % run.period];
    ++all;
  }
  for (const auto& [offset, count] : counts) {
    if (2 * count > all) return offset;
  }
  return std::nullopt;
}

}  // namespace

void align_to_run(const Run& run, std::vector<Tile>& tiles) {
  const std::optional<uint32_t> offset = phase(run, tiles);
  if (!offset) return;
  const uint32_t first = run.first + *offset, count = (run.last - first) / run.period;
  if (count < 2) return;
  std::vector<Tile> aligned;
  uint32_t last = first + count * run.period;
  for (uint32_t at = first; at < last; at += run.period)
    aligned.push_back({at, at + run.period, false});
  if (run.last - last >= kWhole * run.period) {
    aligned.push_back({last, run.last, false});
    last = run.last;
  }
  const size_t exact = aligned.size();
  const auto little = [&](uint32_t ops) { return ops < kLittle * run.period; };
  for (Tile tile : tiles) {
    const uint32_t from = tile.first;
    if (tile.first < first) {
      tile.partial |= tile.last > first && first - tile.first < kWhole * run.period;
      tile.last = std::min(tile.last, first);
    } else if (tile.last > last && tile.first < last && tile.last - last < kTrailing * run.period) {
      aligned[exact - 1].last = tile.last;
      continue;
    } else {
      tile.first = std::max(tile.first, last);
      tile.partial |= tile.first > from && tile.last <= run.last;
      const bool breaks_off = tile.first == last && tile.last > run.last &&
                              tile.last - tile.first < kWhole * run.period;
      if (breaks_off && from == tiles.back().first) continue;
    }
    if (tile.last > tile.first && !little(tile.last - tile.first)) aligned.push_back(tile);
  }
  std::sort(aligned.begin(), aligned.end(),
            [](const Tile& a, const Tile& b) { return a.first < b.first; });
  tiles = std::move(aligned);
}

}  // namespace deepprof
