#include "analysis/iterations/rests.h"

#include <algorithm>

#include "analysis/iterations/confidence.h"
#include "analysis/iterations/evidence.h"
#include "analysis/iterations/search.h"

namespace deepprof {
namespace {

constexpr uint32_t kLeast = 100;      // ops left out that are worth a search of their own
constexpr double kLeastShare = 0.01;  // of the recording, likewise
constexpr uint32_t kShortest = 8;  // ops of a stretch that may hold something, and of an iteration
constexpr double kLittle = 0.2;    // of the usual length
constexpr double kMost = 0.8;      // of a tile that lies in one stretch
constexpr int kRounds = 3;

// The stretches that no tile covers, as one string.
class Rest {
 public:
  Rest(const Sequence& whole, const std::vector<Tile>& tiles) : whole_(whole) {
    string_.device = whole.device;
    string_.launch_order = whole.launch_order;
    string_.hints = whole.hints;
    // Little that stands between two iterations is part of one (kernels that are tried) and no
    // iteration.
    const auto little = static_cast<uint32_t>(kLittle * usual_length(tiles));
    uint32_t at = 0;
    for (size_t i = 0; i < tiles.size(); ++i) {
      if (i == 0 || tiles[i].first - at >= little) add(at, tiles[i].first);
      at = tiles[i].last;
    }
    add(at, whole.size());
  }

  const Sequence& string() const { return string_; }
  // Where a tile of the string lies in the whole; empty where most of it does not lie in one
  // stretch.
  Tile in_whole(const Tile& tile) const {
    Tile best;
    for (uint32_t first = tile.first; first < tile.last;) {
      uint32_t last = first + 1;
      while (last < tile.last && place_[last] == place_[last - 1] + 1) ++last;
      if (last - first > best.last - best.first)
        best = {place_[first], place_[last - 1] + 1, tile.partial};
      first = last;
    }
    return best.last - best.first >= kMost * (tile.last - tile.first) ? best : Tile{};
  }

 private:
  void add(uint32_t first, uint32_t last) {
    if (last < first + kShortest) return;
    const uint32_t shift = string_.size();
    auto side = std::lower_bound(whole_.side.begin(), whole_.side.end(), first,
                                 [](const SideOp& op, uint32_t at) { return op.before < at; });
    for (; side != whole_.side.end() && side->before < last; ++side) {
      string_.side.push_back({side->before - first + shift, side->symbol});
    }
    for (uint32_t at = first; at < last; ++at) {
      string_.symbols.push_back(whole_.symbols[at]);
      string_.order.push_back(whole_.order[whole_.position(at)]);
      place_.push_back(at);
    }
  }

  const Sequence& whole_;
  Sequence string_;
  std::vector<uint32_t> place_;  // in the whole, by symbol
};

}  // namespace

bool search_rests(const Trace& trace, const Sequence& sequence,
                  const std::function<bool()>& out_of_time, std::vector<Tile>& tiles) {
  const uint32_t least = std::max(kLeast, static_cast<uint32_t>(kLeastShare * sequence.size()));
  for (int round = 0; round < kRounds && !out_of_time(); ++round) {
    const Rest rest(sequence, tiles);
    if (rest.string().size() < least) return false;
    Evidence evidence = collect_evidence(trace, rest.string());
    const Found found = search(trace, rest.string(), evidence, 0, rest.string().size());
    if (usual_length(found.tiles) < kShortest) return false;
    if (found.confidence < kLeastConfidence) return false;
    if (!found.iterations) return true;
    for (const Tile& tile : found.tiles) {
      const Tile placed = rest.in_whole(tile);
      if (placed.last > placed.first) tiles.push_back(placed);
    }
    std::sort(tiles.begin(), tiles.end(),
              [](const Tile& a, const Tile& b) { return a.first < b.first; });
  }
  return false;
}

}  // namespace deepprof
