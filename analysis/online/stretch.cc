#include "analysis/online/stretch.h"

namespace deepprof {

double ops_each(const MinedStretch& found) {
  for (const bool typical : {true, false}) {
    double ops = 0, tiles = 0;
    for (const OpRange& tile : found.tiles) {
      if (tile.typical != typical) continue;
      ops += tile.last - tile.first;
      ++tiles;
    }
    if (tiles > 0) return ops / tiles;
  }
  return 0;
}

void trim(MinedStretch& found, size_t ops, bool front) {
  const auto margin = static_cast<uint32_t>(ops_each(found));
  std::erase_if(found.tiles, [&](const OpRange& tile) {
    return tile.last + margin > ops || (front && tile.first < margin);
  });
}

std::span<const OpRange> typical_part(std::span<const OpRange> tiles) {
  while (!tiles.empty() && !tiles.front().typical) tiles = tiles.subspan(1);
  return tiles;
}

}  // namespace deepprof
