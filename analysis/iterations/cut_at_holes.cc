#include "analysis/iterations/cut_at_holes.h"

#include <algorithm>

#include "analysis/iterations/tiles.h"

namespace deepprof {
namespace {

uint32_t length(const Tile& tile) { return tile.last - tile.first; }

// Two pieces that are together no longer than usual are what is left of one iteration.
bool join(std::vector<Tile>& tiles, size_t first, uint32_t usual) {
  if (first + 1 >= tiles.size()) return false;
  const Tile& next = tiles[first + 1];
  if (tiles[first].last != next.first || length(tiles[first]) + length(next) > usual) return false;
  tiles[first] = {tiles[first].first, next.last, true};
  tiles.erase(tiles.begin() + static_cast<std::ptrdiff_t>(first) + 1);
  return true;
}

}  // namespace

void cut_at_holes(const Trace& trace, const Sequence& sequence, std::vector<Tile>& tiles) {
  const auto holes = holes_of(trace, sequence.device);
  if (holes.empty() || tiles.empty()) return;
  const auto start_of = [&](uint32_t symbol) {
    return trace.ops[sequence.order[sequence.position(symbol)]].start_ns;
  };
  const uint32_t usual = usual_length(tiles);
  for (const Hole& hole : holes) {
    // Ops come out of order by less than a hole is long: its middle tells the sides apart.
    const int64_t middle_ns = hole.start_ns + (hole.end_ns - hole.start_ns) / 2;
    const auto next = std::partition_point(tiles.begin(), tiles.end(), [&](const Tile& tile) {
      return start_of(tile.first) < middle_ns;
    });
    auto after = static_cast<size_t>(next - tiles.begin());
    if (after == 0) continue;
    Tile& before = tiles[after - 1];
    uint32_t cut = before.first;
    while (cut < before.last && start_of(cut) < middle_ns) ++cut;
    const Tile rest{cut, before.last, true};
    before.last = cut;
    before.partial = true;
    if (length(rest) > 0) tiles.insert(next, rest);
    if (after < tiles.size()) {
      tiles[after].partial = true;
      join(tiles, after, usual);
    }
    if (after > 1) join(tiles, after - 2, usual);
  }
}

void close_at_holes(const Trace& trace, DeviceMined& mined) {
  const auto holes = holes_of(trace, mined.device);
  if (holes.empty() || mined.iterations.empty()) return;
  Iteration& first = mined.iterations.front();
  first.partial |= holes[0].start_ns < first.start_ns;
  for (size_t i = 1; i < mined.iterations.size(); ++i) {
    Iteration& before = mined.iterations[i - 1];
    Iteration& after = mined.iterations[i];
    if (!touches_hole(holes, before.start_ns, after.start_ns)) continue;
    before.partial = after.partial = true;
    before.end_ns = std::clamp(before.span_end_ns, before.start_ns, before.end_ns);
  }
  Iteration& last = mined.iterations.back();
  last.partial |= touches_hole(holes, last.start_ns, last.end_ns);
}

}  // namespace deepprof
