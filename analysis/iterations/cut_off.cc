#include "analysis/iterations/cut_off.h"

#include <algorithm>

namespace deepprof {
namespace {

constexpr size_t kFewest = 3;          // tiles that stay
constexpr double kRecorded = 0.8;      // of the ops behind have their launch: else a missing one says nothing
constexpr double kMostlyBefore = 0.5;  // of a tile's ops have none: it was launched before
constexpr double kScrap = 0.5;         // of the length that nine in ten tiles have at least

double share_with_launch(const Trace& trace, const Sequence& sequence, uint32_t first, uint32_t last) {
  const auto from = sequence.order.begin() + sequence.position(first), to = sequence.order.begin() + sequence.position(last);
  const auto launched = std::count_if(from, to, [&](uint32_t op) { return trace.ops[op].launch != kNone; });
  return static_cast<double>(launched) / static_cast<double>(std::max<std::ptrdiff_t>(1, to - from));
}

uint32_t least_length(const std::vector<Tile>& tiles) {
  std::vector<uint32_t> lengths;
  for (const Tile& tile : tiles) lengths.push_back(tile.last - tile.first);
  const auto low = lengths.begin() + static_cast<std::ptrdiff_t>((lengths.size() + 5) / 10);
  std::nth_element(lengths.begin(), low, lengths.end());
  return *low;
}

}  // namespace

void drop_cut_off(const Trace& trace, const Sequence& sequence, std::vector<Tile>& tiles) {
  while (tiles.size() > kFewest && share_with_launch(trace, sequence, tiles[0].first, tiles[0].last) < kMostlyBefore &&
         share_with_launch(trace, sequence, tiles[1].first, sequence.size()) >= kRecorded) {
    tiles.erase(tiles.begin());
  }
  const auto scrap = [&](const Tile& tile) { return tile.last - tile.first < kScrap * least_length(tiles); };
  if (tiles.size() > kFewest && tiles.front().first == 0 && scrap(tiles.front())) tiles.erase(tiles.begin());
  if (tiles.size() > kFewest && tiles.back().last == sequence.size() && scrap(tiles.back())) tiles.pop_back();
}

}  // namespace deepprof
