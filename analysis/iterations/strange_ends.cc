#include "analysis/iterations/strange_ends.h"

#include <algorithm>

namespace deepprof {
namespace {

constexpr size_t kFewest = 3;     // tiles that stay
constexpr size_t kCompared = 16;  // from all over what lies between the ends
constexpr double kCommon = 0.5;   // of the usual length: ops that each has, else none is usual
// of the kinds that each has: with as many an end is one of them
constexpr double kKinds = 2.0 / 3.0;
// likewise, of a first one that a sign marks: it may set itself up, and try other kernels
constexpr double kFirstKinds = 0.5;
constexpr size_t kFewestKinds = 4;       // of marked ones: fewer differ as inputs do
constexpr double kStranger = 1.0 / 3.0;  // of an end's kinds that no other has: else it is a part

// The kinds of ops of the tiles between the ends.
class Kinds {
 public:
  Kinds(const Sequence& sequence, const std::vector<Tile>& tiles)
      : sequence_(sequence), in_(sequence.hints.size(), 0), least_(in_.size(), UINT32_MAX) {
    const size_t between = tiles.size() - 2;
    compared_ = std::min(kCompared, between);
    for (size_t i = 0; i < compared_; ++i) add(tiles[1 + i * between / compared_]);
  }

  // Whether a usual one may be told by what each has.
  bool tell(uint32_t usual_length, size_t fewest_kinds) const {
    double ops = 0;
    size_t kinds = 0;
    for (size_t kind = 0; kind < in_.size(); ++kind) {
      if (common(kind)) ops += least_[kind], ++kinds;
    }
    return ops >= kCommon * usual_length && kinds >= fewest_kinds;
  }

  // Whether it holds less than such a share of what each has, and much that none has.
  bool are_strange_to(const Tile& tile, double share) const {
    const std::vector<uint32_t> count = counts(tile);
    double common_kinds = 0, held = 0, own = 0, strange = 0;
    for (size_t kind = 0; kind < in_.size(); ++kind) {
      common_kinds += common(kind);
      held += common(kind) && count[kind] > 0;
      own += count[kind] > 0;
      strange += count[kind] > 0 && in_[kind] == 0;
    }
    return held < share * common_kinds && strange > kStranger * own;
  }

 private:
  bool common(size_t kind) const { return in_[kind] == compared_; }
  std::vector<uint32_t> counts(const Tile& tile) const {
    std::vector<uint32_t> count(in_.size(), 0);
    for (uint32_t at = tile.first; at < tile.last; ++at) ++count[sequence_.symbols[at]];
    return count;
  }
  void add(const Tile& tile) {
    const std::vector<uint32_t> count = counts(tile);
    for (size_t kind = 0; kind < in_.size(); ++kind) {
      in_[kind] += count[kind] > 0;
      least_[kind] = std::min(least_[kind], count[kind]);
    }
  }

  const Sequence& sequence_;
  size_t compared_ = 0;
  std::vector<uint32_t> in_;     // how many of the compared tiles hold a kind
  std::vector<uint32_t> least_;  // and how often at least
};

}  // namespace

void drop_strange_ends(const Sequence& sequence, const Evidence& evidence, bool marked,
                       std::vector<Tile>& tiles) {
  if (tiles.size() <= kFewest) return;
  const Kinds kinds(sequence, tiles);
  if (!kinds.tell(usual_length(tiles), marked ? kFewestKinds : 1)) return;
  // What trains is an iteration, whichever kernels it tries.
  const auto strange = [&](const Tile& tile, double share) {
    return evidence.updates_in(tile.first, tile.last) == 0 && kinds.are_strange_to(tile, share);
  };
  if (strange(tiles.back(), kKinds)) tiles.pop_back();
  if (tiles.size() > kFewest && strange(tiles.front(), marked ? kFirstKinds : kKinds))
    tiles.erase(tiles.begin());
}

}  // namespace deepprof
