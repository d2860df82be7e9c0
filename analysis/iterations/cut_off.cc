#include "analysis/iterations/cut_off.h"

#include <algorithm>
#include <array>

namespace deepprof {
namespace {

constexpr size_t kFewest = 3;  // tiles that stay
// of the ops behind have their launch: else a missing one says nothing
constexpr double kRecorded = 0.8;
constexpr double kMostlyBefore = 0.5;  // of a tile's ops have none: it was launched before
constexpr double kSame = 0.1;  // distance of contents of two of a kind, and difference in length
constexpr size_t kCompared = 8;
constexpr uint32_t kBeginning = 8;  // ops by which two begin alike
constexpr double kMostOfOne = 0.9;  // of the usual length: a first tile that lacks its beginning
constexpr double kScrap = 0.5;      // of the length that nine in ten tiles have at least

// Ops in a stretch of the string, and how many of them have their launch.
struct Launched {
  double ops = 0, launched = 0;

  Launched(const Trace& trace, const Sequence& sequence, uint32_t first, uint32_t last) {
    const auto from = sequence.order.begin() + sequence.position(first),
               to = sequence.order.begin() + sequence.position(last);
    ops = static_cast<double>(to - from);
    launched = static_cast<double>(
        std::count_if(from, to, [&](uint32_t op) { return trace.ops[op].launch != kNone; }));
  }
  bool mostly_before() const { return launched < kMostlyBefore * ops; }
  void subtract(const Launched& other) { ops -= other.ops, launched -= other.launched; }
};

// First tiles that were launched before the recording began.
size_t launched_before(const Trace& trace, const Sequence& sequence,
                       const std::vector<Tile>& tiles) {
  if (tiles.size() <= kFewest || trace.calls.empty()) return 0;
  // As in nearly every recording: then the ops behind it need not be looked at.
  if (!Launched(trace, sequence, tiles[0].first, tiles[1].first).mostly_before()) return 0;
  Launched behind(trace, sequence, tiles[0].first, sequence.size());
  size_t count = 0;
  for (; tiles.size() - count > kFewest; ++count) {
    const Launched tile(trace, sequence, tiles[count].first, tiles[count + 1].first);
    behind.subtract(tile);
    if (!tile.mostly_before() || behind.launched < kRecorded * behind.ops) break;
  }
  return count;
}

uint32_t least_length(const std::vector<Tile>& tiles) {
  std::vector<uint32_t> lengths;
  for (const Tile& tile : tiles) lengths.push_back(tile.last - tile.first);
  const auto low = lengths.begin() + static_cast<std::ptrdiff_t>((lengths.size() + 5) / 10);
  std::nth_element(lengths.begin(), low, lengths.end());
  return *low;
}

// Whether another tile is of the same kind: short iterations (evaluation) are no scraps.
bool has_twin(const Sequence& sequence, const std::vector<Tile>& tiles, const Tile& scrap) {
  std::vector<Tile> compared{scrap};
  for (const Tile& tile : tiles) {
    const double length = tile.last - tile.first, other = scrap.last - scrap.first;
    if (tile.first != scrap.first && compared.size() <= kCompared && length < (1 + kSame) * other &&
        other < (1 + kSame) * length)
      compared.push_back(tile);
  }
  const Contents contents(sequence.symbols, static_cast<uint32_t>(sequence.hints.size()), compared);
  for (size_t i = 1; i < compared.size(); ++i) {
    if (contents.distance(0, i) < kSame) return true;
  }
  return false;
}

// Whether the recording began within the first tile: it ends as the usual one and begins otherwise.
bool lacks_beginning(const Sequence& sequence, const std::vector<Tile>& tiles) {
  const Tile& first = tiles.front();
  const uint32_t usual = usual_length(tiles), length = first.last - first.first;
  const auto whole = std::find_if(tiles.begin(), tiles.end(), [&](const Tile& tile) {
    return tile.last - tile.first == usual;
  });
  if (first.first > 0 || length < kBeginning || length > kMostOfOne * usual) return false;
  const auto symbols = sequence.symbols.begin();
  if (std::equal(symbols, symbols + kBeginning, symbols + whole->first)) return false;
  const std::array<Tile, 2> ends{first, Tile{whole->last - length, whole->last, false}};
  return Contents(sequence.symbols, static_cast<uint32_t>(sequence.hints.size()), ends)
             .distance(0, 1) < kSame;
}

}  // namespace

void drop_cut_off(const Trace& trace, const Sequence& sequence, std::vector<Tile>& tiles) {
  tiles.erase(tiles.begin(),
              tiles.begin() + static_cast<std::ptrdiff_t>(launched_before(trace, sequence, tiles)));
  if (tiles.size() > kFewest && lacks_beginning(sequence, tiles)) tiles.erase(tiles.begin());
  if (tiles.size() <= kFewest) return;
  const double scrap_length = kScrap * least_length(tiles);
  const auto scrap = [&](const Tile& tile) {
    return tile.last - tile.first < scrap_length && !has_twin(sequence, tiles, tile);
  };
  if (tiles.front().first == 0 && scrap(tiles.front())) tiles.erase(tiles.begin());
  if (tiles.size() > kFewest && tiles.back().last == sequence.size() && scrap(tiles.back()))
    tiles.pop_back();
}

}  // namespace deepprof
