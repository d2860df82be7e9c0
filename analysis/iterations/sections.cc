#include "analysis/iterations/sections.h"

#include <algorithm>
#include <string_view>

#include "analysis/iterations/contents.h"
#include "analysis/sequence/hints.h"
#include "libdeepprof/upper_median.h"

namespace deepprof {
namespace {

constexpr double kPart =
    0.5;  // of an evaluation's ops that the usual iteration has too; normalisation and
          // dropout have other kernels there
constexpr double kShorter = 0.8;      // of the usual length: evaluation is shorter than that
constexpr double kLongerOps = 1.25;   // times the usual length: a first iteration that does more
constexpr double kLongerTime = 1.5;   // times the usual time: a first iteration that is slow
constexpr size_t kMostWarmUp = 20;    // iterations
constexpr size_t kFewestTrained = 2;  // iterations that hold an optimizer run

bool names_training(std::string_view range) {
  return names_gradient(range) || range.find("Optimizer.step") != std::string_view::npos;
}

// Whether a kernel or a range that ran is called as only training calls one. A trace may name more:
// what a profiler was told to look for, and never came.
bool trains(const Trace& trace, const Sequence& sequence) {
  if (std::find(sequence.hints.begin(), sequence.hints.end(), Hint::gradient) !=
      sequence.hints.end())
    return true;
  std::vector<bool> seen(trace.names.size(), false);
  return std::any_of(trace.ranges.begin(), trace.ranges.end(), [&](const Range& range) {
    if (seen[range.name]) return false;
    seen[range.name] = true;
    return names_training(trace.names[range.name]);
  });
}

class Sorter {
 public:
  Sorter(const Trace& trace, const Sequence& sequence, const Evidence& evidence,
         const std::vector<Tile>& tiles)
      : trace_(trace), sequence_(sequence), evidence_(evidence), tiles_(tiles) {
    find_usual();
    usual_kind_ = evidence_.updates() != nullptr || trains(trace_, sequence_)
                      ? SectionKind::training
                      : SectionKind::steady;
    count_usual();
    find_warm_up();
  }

  std::vector<Stretch> sort() {
    uint32_t at = 0;
    for (size_t i = 0; i < tiles_.size(); ++i) {
      if (tiles_[i].first > at)
        stretches_.push_back({kind_of_rest(at, tiles_[i].first), at, tiles_[i].first, {}});
      const SectionKind kind = kind_of(i);
      if (stretches_.empty() || stretches_.back().tiles.empty() || stretches_.back().kind != kind) {
        stretches_.push_back({kind, tiles_[i].first, tiles_[i].first, {}});
      }
      stretches_.back().last = tiles_[i].last;
      stretches_.back().tiles.push_back(tiles_[i]);
      at = tiles_[i].last;
    }
    if (at < sequence_.size())
      stretches_.push_back({kind_of_rest(at, sequence_.size()), at, sequence_.size(), {}});
    return std::move(stretches_);
  }

 private:
  int64_t start_ns(const Tile& tile) const {
    return trace_.ops[sequence_.order[sequence_.position(tile.first)]].start_ns;
  }

  // Where optimizer runs or backward passes are known, training is what holds one, however much
  // else there is.
  void find_usual() {
    for (const Tile& tile : tiles_) {
      trains_.push_back(evidence_.updates_in(tile.first, tile.last) > 0 || holds_gradient(tile));
      if (trains_.back()) usual_tiles_.push_back(tile);
    }
    told_ = usual_tiles_.size() >= kFewestTrained;
    if (!told_) usual_tiles_ = tiles_;
    usual_length_ = usual_length(usual_tiles_);
  }
  // Symbols of a tile of usual length. One of them may be cut amiss, where another kind of work
  // lies beside it: of a few from all over the run, the one that is most like the others.
  void count_usual() {
    std::vector<Tile> usual;
    for (const Tile& tile : usual_tiles_) {
      if (tile.last - tile.first == usual_length_) usual.push_back(tile);
    }
    std::vector<Tile> few;
    for (const size_t tenth : {5, 1, 3, 7, 9}) few.push_back(usual[usual.size() * tenth / 10]);
    const Tile* most_like = nullptr;
    double most = -1;
    for (const Tile& tile : few) {
      count_symbols_of(tile);
      double like = 0;
      for (const Tile& other : few) like += part_of_usual(other.first, other.last);
      if (like <= most) continue;
      most = like;
      most_like = &tile;
    }
    count_symbols_of(*most_like);
  }
  void count_symbols_of(const Tile& tile) {
    usual_.assign(sequence_.hints.size(), 0);
    for (uint32_t at = tile.first; at < tile.last; ++at) ++usual_[sequence_.symbols[at]];
  }
  // Share of the symbols of [first, last) that the usual tile has too, as often.
  double part_of_usual(uint32_t first, uint32_t last) {
    std::vector<uint32_t> seen;
    uint32_t common = 0;
    for (uint32_t at = first; at < last; ++at) {
      const uint32_t symbol = sequence_.symbols[at];
      if (usual_[symbol] == 0) continue;
      --usual_[symbol];
      seen.push_back(symbol);
      ++common;
    }
    for (const uint32_t symbol : seen) ++usual_[symbol];
    return static_cast<double>(common) / (last - first);
  }
  bool holds_gradient(const Tile& tile) const {
    const auto symbols = sequence_.symbols.begin();
    return std::any_of(symbols + tile.first, symbols + tile.last,
                       [&](uint32_t symbol) { return sequence_.hints[symbol] == Hint::gradient; });
  }

  void find_warm_up() {
    if (tiles_.size() < 4) return;
    const bool all = usual_tiles_.size() == tiles_.size();
    std::vector<int64_t> times, usual_times;
    for (size_t i = 0; i + 1 < tiles_.size(); ++i) {
      times.push_back(start_ns(tiles_[i + 1]) - start_ns(tiles_[i]));
      if (all || trains_[i]) usual_times.push_back(times.back());
    }
    const auto usual_ns = static_cast<double>(upper_median(usual_times));
    const size_t most = std::min(kMostWarmUp, usual_tiles_.size() / 4);
    while (warm_up_ < most) {
      const Tile& tile = tiles_[warm_up_];
      const bool more = tile.last - tile.first > kLongerOps * usual_length_;
      const bool slow = static_cast<double>(times[warm_up_]) > kLongerTime * usual_ns;
      if (!more && !slow) break;
      ++warm_up_;
    }
  }

  SectionKind kind_of(size_t i) {
    const Tile& tile = tiles_[i];
    if (i < warm_up_) return SectionKind::warm_up;
    if (!told_ || trains_[i] || tile.partial) return usual_kind_;
    if (part_of_usual(tile.first, tile.last) < kPart) return SectionKind::irregular;
    const bool shorter = tile.last - tile.first < kShorter * usual_length_;
    return shorter ? SectionKind::evaluation : usual_kind_;
  }

  SectionKind kind_of_rest(uint32_t first, uint32_t last) const {
    if (first == 0) return SectionKind::warm_up;
    // What does not train has no state to keep.
    const bool checkpoint =
        usual_kind_ == SectionKind::training && is_mostly_read(sequence_, first, last);
    return checkpoint ? SectionKind::checkpoint : SectionKind::irregular;
  }

  const Trace& trace_;
  const Sequence& sequence_;
  const Evidence& evidence_;
  const std::vector<Tile>& tiles_;
  std::vector<bool> trains_;       // by tile: it holds an optimizer run or a backward pass
  std::vector<Tile> usual_tiles_;  // those that train; all where that is not told
  bool told_ = false;              // which of them train
  uint32_t usual_length_ = 0;
  SectionKind usual_kind_ = SectionKind::steady;
  std::vector<uint32_t> usual_;  // count by symbol
  size_t warm_up_ = 0;           // leading tiles
  std::vector<Stretch> stretches_;
};

}  // namespace

std::vector<Stretch> make_sections(const Trace& trace, const Sequence& sequence,
                                   const Evidence& evidence, const std::vector<Tile>& tiles) {
  if (tiles.empty()) return {{SectionKind::irregular, 0, sequence.size(), {}}};
  return Sorter(trace, sequence, evidence, tiles).sort();
}

}  // namespace deepprof
