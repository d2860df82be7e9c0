#include "analysis/iterations/ends.h"

#include <algorithm>
#include <array>

namespace deepprof {
namespace {

constexpr size_t kFewest = 4;      // tiles: with fewer none is usual
constexpr size_t kCompared = 16;   // of those in front of the last
constexpr double kStrange = 0.25;  // distance of contents of what is something else
constexpr double kSame = 0.1;      // and of what is a part of the usual tile
constexpr double kLeast = 0.3;     // of the usual length: less is no iteration
constexpr double kWhole = 0.9;     // of the usual length: as much is not partial

class Ends {
 public:
  Ends(const Sequence& sequence, const std::vector<Tile>& tiles) : sequence_(sequence) {
    std::vector<Tile> by_length = tiles;
    const auto middle = by_length.begin() + static_cast<std::ptrdiff_t>(by_length.size() / 2);
    std::nth_element(by_length.begin(), middle, by_length.end(), [](const Tile& a, const Tile& b) {
      return a.last - a.first != b.last - b.first ? a.last - a.first < b.last - b.first
                                                  : a.first < b.first;
    });
    usual_ = *middle;
  }

  const Tile& usual() const { return usual_; }
  // How far the contents of a stretch are from as many ops at the beginning, or the end, of the
  // usual tile.
  double from_beginning(uint32_t first, uint32_t last) const {
    const uint32_t length = std::min(last - first, usual_.last - usual_.first);
    return distance({first, last, false}, {usual_.first, usual_.first + length, false});
  }
  double from_end(uint32_t first, uint32_t last) const {
    const uint32_t length = std::min(last - first, usual_.last - usual_.first);
    return distance({first, last, false}, {usual_.last - length, usual_.last, false});
  }
  // Whether a stretch is the usual tile, op by op, but for copies of few bytes instead of many: the
  // sizes of a benchmark grow.
  bool differs_in_sizes(uint32_t first, uint32_t last) const {
    if (last - first != usual_.last - usual_.first) return false;
    const auto copied = [&](uint32_t at) {
      const Hint hint = sequence_.hint(at);
      return hint == Hint::scalar_to_device ? Hint::copy_to_device : hint;
    };
    for (uint32_t at = first, other = usual_.first; at < last; ++at, ++other) {
      if (sequence_.symbols[at] == sequence_.symbols[other]) continue;
      if (is_kernel(copied(at)) || copied(at) != copied(other)) return false;
    }
    return true;
  }
  // Whether two stretches are of one kind.
  bool alike(const Tile& a, const Tile& b) const { return distance(a, b) < kSame; }
  double usual_parts(uint32_t first, uint32_t last) const {
    return static_cast<double>(last - first) / (usual_.last - usual_.first);
  }

 private:
  double distance(const Tile& a, const Tile& b) const {
    const std::array<Tile, 2> both{a, b};
    return Contents(sequence_.symbols, static_cast<uint32_t>(sequence_.hints.size()), both)
        .distance(0, 1);
  }
  const Sequence& sequence_;
  Tile usual_;
};

bool holds_update(const Evidence& evidence, const Tile& tile) {
  return evidence.updates_in(tile.first, tile.last) > 0;
}

// Whether the last tile differs in length from the others, which are all alike (but for the first,
// which may have set itself up).
bool is_alone(const Ends& ends, const std::vector<Tile>& tiles) {
  if (tiles.size() <= kFewest) return false;
  const double parts = ends.usual_parts(tiles.back().first, tiles.back().last);
  if (parts >= kWhole && parts <= 1 / kWhole) return false;
  const auto unlike = [&](const Tile& tile) { return !ends.alike(ends.usual(), tile); };
  const auto from = tiles.size() - 1 - std::min(kCompared, tiles.size() - 2);
  return std::none_of(tiles.begin() + static_cast<std::ptrdiff_t>(from), tiles.end() - 1, unlike);
}

}  // namespace

void settle_ends(const Sequence& sequence, const Evidence& evidence, uint32_t first, uint32_t last,
                 std::vector<Tile>& tiles) {
  if (tiles.size() < kFewest) return;
  const Ends ends(sequence, tiles);
  // The last tile may have but a few landmarks, the first of which an evaluation shows as well. One
  // of many evaluations is like the one before it.
  const Tile end = tiles.back();
  const bool lacks_update = holds_update(evidence, ends.usual()) && !holds_update(evidence, end);
  const bool strange = ends.from_beginning(end.first, end.last) > kStrange &&
                       !ends.alike(tiles[tiles.size() - 2], end);
  if (strange && (lacks_update || is_alone(ends, tiles))) tiles.pop_back();

  const auto likely = [&](uint32_t from, uint32_t to) {
    return to > from && ends.usual_parts(from, to) >= kLeast && ends.usual_parts(from, to) <= 1;
  };
  const uint32_t head = tiles.front().first, tail = tiles.back().last;
  if (likely(first, head) &&
      (ends.from_end(first, head) < kSame || ends.differs_in_sizes(first, head))) {
    tiles.insert(tiles.begin(), {first, head, ends.usual_parts(first, head) < kWhole});
  }
  if (likely(tail, last) && ends.from_beginning(tail, last) < kSame) {
    tiles.push_back({tail, last, ends.usual_parts(tail, last) < kWhole});
  }
}

}  // namespace deepprof
