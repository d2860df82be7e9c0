#include "analysis/pattern/consensus.h"

#include <algorithm>
#include <numeric>

#include "analysis/pattern/follower.h"

namespace deepprof {
namespace {

using Symbols = std::vector<uint32_t>;
using SymbolSpan = std::span<const uint32_t>;

constexpr uint32_t kUnmatched = UINT32_MAX;

// Which op of the one iteration of a pattern each op of a tile is; kUnmatched: none.
class Alignment : public FollowSink {
 public:
  Alignment(const Pattern& pattern, SymbolSpan tile) : places(tile.size(), kUnmatched) {
    Follower follower(pattern);
    follower.start_with(0);
    follower.follow(tile, true, *this);
  }
  void begins(size_t, uint32_t) override { ++laps; }
  void turns_into(uint32_t) override {}
  void matched(size_t first, size_t count, PatternPlace place) override {
    all_matches += static_cast<uint32_t>(count);
    if (laps > 1) return;  // the tile goes on behind the pattern's end
    matches += static_cast<uint32_t>(count);
    std::iota(places.begin() + static_cast<ptrdiff_t>(first),
              places.begin() + static_cast<ptrdiff_t>(first + count), place.position);
  }
  void unexplained(size_t, size_t) override {}

  std::vector<uint32_t> places;
  uint32_t matches = 0;  // in the first lap
  uint32_t all_matches = 0;
  int laps = 0;
};

// What several alignments say of one pattern: how often each op was matched, and what stood before
// it.
class Votes {
 public:
  explicit Votes(SymbolSpan pattern) : pattern_(pattern), matched_(pattern.size(), 0) {}

  void add(SymbolSpan tile, const Alignment& alignment) {
    ++tiles_;
    uint32_t inserted = 0;
    for (size_t i = 0; i < tile.size(); ++i) {
      if (const uint32_t place = alignment.places[i]; place == kUnmatched) {
        ++inserted;
      } else {
        ++matched_[place];
        vote_inserted(place, tile.subspan(i - inserted, inserted));
        inserted = 0;
      }
    }
    vote_inserted(static_cast<uint32_t>(pattern_.size()), tile.last(inserted));
  }

  // The ops that more than half of the tiles hold.
  Symbols majority() {
    std::sort(inserted_.begin(), inserted_.end());
    Symbols result;
    size_t at = 0;
    for (uint32_t place = 0; place <= pattern_.size(); ++place) {
      while (at < inserted_.size() && inserted_[at].before == place) {
        size_t same = at;
        while (same < inserted_.size() && inserted_[same] == inserted_[at]) ++same;
        if (2 * (same - at) > tiles_) result.push_back(inserted_[at].symbol);
        at = same;
      }
      if (place < pattern_.size() && 2 * matched_[place] > tiles_)
        result.push_back(pattern_[place]);
    }
    return result;
  }

 private:
  static constexpr size_t kMaxInserted = 8;  // in a row, that are voted on
  struct Inserted {
    uint32_t before, index, symbol;
    friend auto operator<=>(const Inserted&, const Inserted&) = default;
  };

  void vote_inserted(uint32_t before, SymbolSpan ops) {
    for (uint32_t i = 0; i < std::min(ops.size(), kMaxInserted); ++i)
      inserted_.push_back({before, i, ops[i]});
  }

  SymbolSpan pattern_;
  std::vector<uint32_t> matched_;
  std::vector<Inserted> inserted_;
  uint32_t tiles_ = 0;
};

// Tiles that are the same but for noise.
struct Cluster {
  Pattern example;  // of one iteration
  std::vector<uint32_t> tiles;
  bool known = false;
};

Pattern single(SymbolSpan ops) { return Pattern({Symbols(ops.begin(), ops.end())}, {0}); }

// Both would be off by the noise: a tenth of the ops at 5 %, and some that the follower gives up.
bool is_same_but_for_noise(const Pattern& example, SymbolSpan tile) {
  const SymbolSpan ops = example.ops(0);
  if (std::equal(ops.begin(), ops.end(), tile.begin(), tile.end())) return true;
  const size_t longer = std::max(ops.size(), tile.size()),
               shorter = std::min(ops.size(), tile.size());
  if (longer - shorter > longer / 50 + 4) return false;
  return 10 * static_cast<size_t>(Alignment(example, tile).matches) >= 7 * longer;
}

// Several of a more frequent iteration in a row: the offline miner missed the cuts between them.
// Followed, it would swallow them again and again.
bool is_several_of(const Pattern& iteration, SymbolSpan ops) {
  if (2 * ops.size() < 3 * static_cast<size_t>(iteration.length(0))) return false;
  const Alignment alignment(iteration, ops);
  return alignment.laps > 1 && 100 * static_cast<size_t>(alignment.all_matches) >= 85 * ops.size();
}

// The most frequent first, without what is made up of others.
void sort_out(std::vector<Cluster>& clusters, size_t known) {
  std::stable_sort(
      clusters.begin() + static_cast<ptrdiff_t>(known), clusters.end(),
      [](const Cluster& a, const Cluster& b) { return a.tiles.size() > b.tiles.size(); });
  size_t kept = known;
  for (size_t i = known; i < clusters.size(); ++i) {
    const bool made_up =
        std::any_of(clusters.begin(), clusters.begin() + static_cast<ptrdiff_t>(kept),
                    [&](const Cluster& other) {
                      return is_several_of(other.example, clusters[i].example.ops(0));
                    });
    if (made_up) continue;
    if (kept != i) clusters[kept] = std::move(clusters[i]);
    ++kept;
  }
  clusters.resize(kept);
}

Symbols consensus(const Cluster& cluster, SymbolSpan symbols, std::span<const OpRange> tiles) {
  constexpr int kRounds = 2;
  constexpr size_t kMaxVoters = 24;
  const SymbolSpan first = cluster.example.ops(0);
  Symbols ops(first.begin(), first.end());
  if (cluster.known || cluster.tiles.size() < 3) return ops;
  for (int round = 0; round < kRounds; ++round) {
    const Pattern pattern = single(ops);
    Votes votes(ops);
    for (size_t i = 0; i < std::min(cluster.tiles.size(), kMaxVoters); ++i) {
      const OpRange tile = tiles[cluster.tiles[i]];
      const SymbolSpan span = symbols.subspan(tile.first, tile.last - tile.first);
      votes.add(span, Alignment(pattern, span));
    }
    Symbols better = votes.majority();
    if (better.empty()) break;
    ops = std::move(better);
  }
  return ops;
}

std::vector<Cluster> cluster_tiles(SymbolSpan symbols, std::span<const OpRange> tiles,
                                   const Pattern& known) {
  // A job whose iterations all differ has none that would be worth following: comparing ends with
  // this.
  size_t budget = 32 * symbols.size() + 100'000;  // ops, and what it takes to begin
  constexpr size_t kBegin = 32;
  std::vector<Cluster> clusters;
  for (uint32_t i = 0; i < known.size(); ++i) clusters.push_back({single(known.ops(i)), {}, true});
  for (uint32_t t = 0; t < tiles.size(); ++t) {
    const SymbolSpan tile = symbols.subspan(tiles[t].first, tiles[t].last - tiles[t].first);
    if (!tiles[t].typical || tile.empty() || tile.size() > Pattern::kMaxOps) continue;
    const auto same = std::find_if(clusters.begin(), clusters.end(), [&](const Cluster& cluster) {
      budget -= std::min(budget, kBegin + tile.size());
      return is_same_but_for_noise(cluster.example, tile);
    });
    if (same != clusters.end()) {
      same->tiles.push_back(t);
    } else if (clusters.size() < 2 * Pattern::kMaxIterations) {
      clusters.push_back({single(tile), {t}, false});
    }
    if (budget == 0) break;
  }
  return clusters;
}

std::vector<uint32_t> usual_successors(const std::vector<Cluster>& clusters, size_t tile_count) {
  constexpr uint32_t kNone = UINT32_MAX;
  std::vector<uint32_t> cluster_of(tile_count, kNone), successors(clusters.size(), 0);
  for (uint32_t c = 0; c < clusters.size(); ++c)
    for (const uint32_t tile : clusters[c].tiles) cluster_of[tile] = c;
  for (uint32_t c = 0; c < clusters.size(); ++c) {
    std::vector<uint32_t> count(clusters.size(), 0);
    for (const uint32_t tile : clusters[c].tiles)
      if (tile + 1 < tile_count && cluster_of[tile + 1] != kNone) ++count[cluster_of[tile + 1]];
    successors[c] =
        static_cast<uint32_t>(std::max_element(count.begin(), count.end()) - count.begin());
  }
  return successors;
}

}  // namespace

Consensus make_pattern(SymbolSpan symbols, std::span<const OpRange> tiles, const Pattern& known) {
  std::vector<Cluster> clusters = cluster_tiles(symbols, tiles, known);
  size_t in_company = 0;
  for (const Cluster& cluster : clusters)
    if (cluster.known || cluster.tiles.size() > 1) in_company += cluster.tiles.size();
  sort_out(clusters, known.size());
  std::vector<Symbols> iterations;
  for (const Cluster& cluster : clusters) iterations.push_back(consensus(cluster, symbols, tiles));
  const auto typical = static_cast<size_t>(
      std::count_if(tiles.begin(), tiles.end(), [](const OpRange& tile) { return tile.typical; }));
  return {Pattern(std::move(iterations), usual_successors(clusters, tiles.size())),
          typical - in_company};
}

}  // namespace deepprof
