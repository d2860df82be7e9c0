#include "analysis/iterations/split.h"

#include <algorithm>
#include <array>
#include <span>

#include "analysis/iterations/openings.h"
#include "libdeepprof/upper_median.h"

namespace deepprof {
namespace {

constexpr double kOnce = 0.85;   // of tiles that hold exactly one event of the sign
constexpr double kLong = 1.25;   // times the usual length: may be two
constexpr double kLonger = 1.1;  // likewise, where an opening stands inside
constexpr double kUsualLeast = 0.8;
constexpr double kClose = 0.5;  // of the usual length: an iteration may begin so much earlier
// of the usual length: events farther from a border do not mark it well
constexpr double kNearBorder = 0.1;
constexpr double kShort = 0.1;       // of the usual length: cuts this close are one
constexpr double kShortest = 0.2;    // of the usual length: too short for an iteration of its own
constexpr double kAlike = 0.25;      // distance of contents
constexpr double kContained = 0.85;  // of a piece's ops that the usual tile has too
constexpr double kMostlyContained = 0.7;  // likewise, of a tile without an update
constexpr size_t kFewest = 4;             // tiles: with fewer none is strange
constexpr double kManyGaps = 0.2;  // of tiles followed by alike stretches: these belong to them
// distance of contents of a long tile's end from the usual tile
constexpr double kSameTail = 0.12;

class Splitter {
 public:
  Splitter(const Sequence& sequence, const Evidence& evidence, std::vector<Tile> tiles,
           uint32_t first, uint32_t last)
      : sequence_(sequence),
        evidence_(evidence),
        tiles_(std::move(tiles)),
        first_(first),
        last_(last),
        usual_(usual_length(tiles_)),
        usual_tile_(usual_tile()),
        openings_(sequence, tiles_, usual_tile_, last) {
    for (const SignEvents& events : evidence.signs) {
      if (events.sign != Sign::scalar) find_marks(events.at);
    }
    if (marks_.empty()) marks_ = far_marks_;
    std::sort(marks_.begin(), marks_.end());
  }

  std::vector<Tile> split() {
    if (marks_.empty() && openings_.empty()) return std::move(tiles_);
    if (!marks_.empty()) extend_to_marks();
    add_openings();
    join_continuations();
    drop_heads();
    std::vector<Tile> result, pieces, divided;
    uint32_t at = first_;
    for (const Tile& tile : tiles_) {
      divide(at, tile.first, pieces);
      at = tile.first;
      if (is_doubtful(tile) && marks_within(tile.first, tile.last) > 0) {
        divided.push_back(tile);
        // Where nothing marks its end, that was a guess by its length.
        if (!is_mark(tile.last)) continue;
        divide(tile.first, tile.last, pieces);
      } else {
        result.push_back(tile);
      }
      at = tile.last;
    }
    divide(at, last_, pieces);
    keep_likely(pieces, result);
    keep_undivided(divided, result);
    std::sort(result.begin(), result.end(),
              [](const Tile& a, const Tile& b) { return a.first < b.first; });
    if (!result.empty()) drop_tail(result.back());
    drop_strange(result);
    return result;
  }

 private:
  // Adds the cuts that the events imply, if nearly every tile holds exactly one. An event in the
  // middle of the tiles says little of their borders: what stands before it may be longer (kernels
  // that are tried) or shorter (evaluation).
  void find_marks(const std::vector<uint32_t>& events) {
    size_t once = 0;
    std::vector<double> offsets;
    for (const Tile& tile : tiles_) {
      // An event belongs to the ops before it (an update's end) or behind it (a feed): either
      // border counts.
      const auto from = std::upper_bound(events.begin(), events.end(), tile.first);
      const auto to = std::upper_bound(events.begin(), events.end(), tile.last);
      if (to - from != 1) continue;
      ++once;
      const double from_start = *from - tile.first,
                   from_end = *from - static_cast<double>(tile.last);
      offsets.push_back(from_start < -from_end ? from_start : from_end);
    }
    if (tiles_.size() < 2 || static_cast<double>(once) < kOnce * static_cast<double>(tiles_.size()))
      return;
    const double offset = upper_median(offsets);
    const bool far = offset > kNearBorder * usual_ || offset < -kNearBorder * usual_;
    for (const uint32_t event : events) {
      const double mark = event - offset;
      if (mark >= first_ && mark <= last_)
        (far ? far_marks_ : marks_).push_back(static_cast<uint32_t>(mark));
    }
  }
  // Openings in long tiles and between tiles are marks.
  void add_openings() {
    const auto near = static_cast<uint32_t>(kShort * usual_);
    const auto add = [&](uint32_t from, uint32_t to) {
      openings_.add_marks(from, to, near, marks_);
    };
    uint32_t at = first_;
    for (const Tile& tile : tiles_) {
      add(at, tile.first);
      if (is_doubtful(tile)) add(tile.first, tile.last);
      at = tile.last;
    }
    add(at, last_);
    std::sort(marks_.begin(), marks_.end());
  }
  // Whether a tile may be several: a long one, a short one (two evaluations), or one without the
  // update that the others have.
  bool is_doubtful(const Tile& tile) const {
    const double length = tile.last - tile.first;
    if (length > (openings_.at_cut() ? kLonger : kLong) * usual_) return true;
    if (length < kUsualLeast * usual_ && openings_.at_cut()) return true;
    return evidence_.updates() != nullptr && openings_.at_cut() && !holds_update(tile);
  }
  // Some iterations may go on where most end (training, among many evaluations): the stretches
  // behind them are alike and nothing marks their beginning.
  void join_continuations() {
    std::vector<Tile> gaps;
    std::vector<size_t> before;
    for (size_t i = 0; i < tiles_.size(); ++i) {
      const Tile gap{tiles_[i].last, i + 1 < tiles_.size() ? tiles_[i + 1].first : last_, false};
      if (gap.last - gap.first <= kShortest * usual_ || gap.last <= gap.first || is_mark(gap.first))
        continue;
      gaps.push_back(gap);
      before.push_back(i);
    }
    const auto least = kManyGaps * static_cast<double>(tiles_.size());
    if (static_cast<double>(gaps.size()) < least) return;
    const Contents contents(sequence_.symbols, static_cast<uint32_t>(sequence_.hints.size()), gaps);
    for (size_t leader = 0; leader < std::min(gaps.size(), kMostLeaders); ++leader) {
      std::vector<size_t> alike;
      for (size_t i = 0; i < gaps.size(); ++i) {
        if (contents.distance(leader, i) < kAlike) alike.push_back(i);
      }
      if (static_cast<double>(alike.size()) < least) continue;
      for (const size_t i : alike) tiles_[before[i]].last = gaps[i].last;
      return;
    }
  }
  bool is_mark(uint32_t at) const {
    const auto near = static_cast<uint32_t>(kShort * usual_);
    const auto mark = std::lower_bound(marks_.begin(), marks_.end(), at > near ? at - near : 0);
    return mark != marks_.end() && *mark <= at + near;
  }
  // The tile whose length is nearest to the usual one.
  Tile usual_tile() const {
    const auto off = [&](const Tile& tile) {
      const double d = tile.last - tile.first - usual_;
      return d < 0 ? -d : d;
    };
    return *std::min_element(tiles_.begin(), tiles_.end(),
                             [&](const Tile& a, const Tile& b) { return off(a) < off(b); });
  }
  // A tile (of unusual length, or close behind a mark) that begins at no mark, with nothing but
  // unclaimed ops between it and the mark before (or the string's start), begins there: its first
  // landmarks were not recognised.
  void extend_to_marks() {
    uint32_t free_from = first_;
    const double near = kShort * usual_;
    for (Tile& tile : tiles_) {
      const auto after =
          std::upper_bound(marks_.begin(), marks_.end(), tile.first + static_cast<uint32_t>(near));
      const double before = after == marks_.begin() ? first_ : *(after - 1);
      const bool at_mark = after != marks_.begin() && before >= tile.first - near;
      const double length = tile.last - tile.first;
      const bool usual = length > kUsualLeast * usual_ && length < kLong * usual_;
      const bool near_mark = after != marks_.begin() && tile.first - before < kClose * usual_;
      const bool one = tile.last - before <= kMostSetUp * usual_;
      if ((!usual || near_mark) && !at_mark && one &&
          before >= free_from - std::min<double>(free_from, near) && tile.first > free_from) {
        tile.first = std::max(free_from, static_cast<uint32_t>(before));
      }
      free_from = tile.last;
    }
  }
  std::span<const uint32_t> between(uint32_t from, uint32_t to) const {
    const auto near = static_cast<uint32_t>(kShort * usual_);
    const auto begin = std::upper_bound(marks_.begin(), marks_.end(), from + near);
    const auto end = std::lower_bound(begin, marks_.end(), to > near ? to - near : 0);
    return {begin, end};
  }
  size_t marks_within(uint32_t from, uint32_t to) const { return between(from, to).size(); }

  void divide(uint32_t from, uint32_t to, std::vector<Tile>& pieces) const {
    if (to <= from) return;
    uint32_t at = from;
    for (const uint32_t mark : between(from, to)) {
      if (mark < at + static_cast<uint32_t>(kShort * usual_) + 1) continue;  // two signs of one cut
      pieces.push_back({at, mark, false});
      at = mark;
    }
    pieces.push_back({at, to, false});
  }

  // A long tile whose end is a usual one has something else in front (evaluation), which belongs to
  // none. The first one may have set itself up.
  void drop_heads() {
    const uint32_t length = usual_tile_.last - usual_tile_.first;
    std::vector<Tile> tails{usual_tile_};
    std::vector<size_t> of;
    for (size_t i = 1; i < tiles_.size(); ++i) {
      const Tile& tile = tiles_[i];
      if (tile.last - tile.first <= kLong * usual_ || marks_within(tile.first, tile.last) > 0)
        continue;
      tails.push_back({tile.last - length, tile.last, tile.partial});
      of.push_back(i);
    }
    if (of.empty()) return;
    const Contents contents(sequence_.symbols, static_cast<uint32_t>(sequence_.hints.size()),
                            tails);
    for (size_t i = 0; i < of.size(); ++i) {
      if (contents.distance(0, i + 1) < kSameTail) tiles_[of[i]].first = tails[i + 1].first;
    }
  }

  // A tile without the update that the usual one holds, and of which much is no part of that, is
  // no iteration of the same kind (all passes of an evaluation): what it holds is sought again.
  void drop_strange(std::vector<Tile>& tiles) const {
    if (tiles.size() < kFewest || !holds_update(usual_tile_)) return;
    std::vector<Tile> compared{usual_tile_};
    for (const Tile& tile : tiles) {
      if (!holds_update(tile)) compared.push_back(tile);
    }
    if (2 * compared.size() > tiles.size()) return;
    const Contents contents(sequence_.symbols, static_cast<uint32_t>(sequence_.hints.size()),
                            compared);
    size_t next = 0;
    std::erase_if(tiles, [&](const Tile& tile) {
      return !holds_update(tile) && contents.contained(++next, 0) < kMostlyContained;
    });
  }

  // The other way round at the end of the string, where no next iteration bounds the last one:
  // another job follows.
  void drop_tail(Tile& last) const {
    const uint32_t length = usual_tile_.last - usual_tile_.first;
    if (last.last - last.first <= kLong * usual_ || marks_within(last.first, last.last) > 0) return;
    const std::array<Tile, 2> heads{usual_tile_,
                                    Tile{last.first, last.first + length, last.partial}};
    const Contents contents(sequence_.symbols, static_cast<uint32_t>(sequence_.hints.size()),
                            heads);
    if (contents.distance(0, 1) < kSameTail) last.last = heads[1].last;
  }

  size_t updates_in(const Tile& tile) const { return evidence_.updates_in(tile.first, tile.last); }
  bool holds_update(const Tile& tile) const { return updates_in(tile) > 0; }
  // Whether a piece holds as many updates as the usual tile, or fewer, but one.
  bool is_updated(const Tile& piece) const {
    const size_t updates = updates_in(piece);
    return updates > 0 && updates <= updates_in(usual_tile_);
  }

  // Contents of the usual tile first, then of the pieces.
  void keep_likely(const std::vector<Tile>& pieces, std::vector<Tile>& kept) const {
    if (pieces.empty()) return;
    std::vector<Tile> compared{usual_tile_};
    compared.insert(compared.end(), pieces.begin(), pieces.end());
    const Contents contents(sequence_.symbols, static_cast<uint32_t>(sequence_.hints.size()),
                            compared);
    std::vector<size_t> leaders;  // pieces without a twin among those before
    std::vector<bool> keep(compared.size(), false);
    for (size_t i = 1; i < compared.size(); ++i) {
      const bool long_enough = compared[i].last - compared[i].first >= kShortest * usual_;
      if (!long_enough) continue;
      const bool checkpoint = is_mostly_read(sequence_, compared[i].first, compared[i].last);
      keep[i] = is_updated(compared[i]) || contents.distance(0, i) < kAlike ||
                contents.contained(i, 0) > kContained;
      bool twin = false;
      for (const size_t leader : leaders) {
        if (checkpoint || contents.distance(leader, i) >= kAlike) continue;
        keep[leader] = keep[i] = twin = true;
        break;
      }
      if (!twin && leaders.size() < kMostLeaders) leaders.push_back(i);
    }
    for (size_t i = 1; i < compared.size(); ++i) {
      if (keep[i]) kept.push_back(compared[i]);
    }
  }

  // A tile of which no piece was kept stays whole.
  static void keep_undivided(const std::vector<Tile>& divided, std::vector<Tile>& kept) {
    std::vector<Tile> whole;
    for (const Tile& tile : divided) {
      if (std::none_of(kept.begin(), kept.end(), [&](const Tile& piece) {
            return piece.first < tile.last && tile.first < piece.last;
          }))
        whole.push_back(tile);
    }
    kept.insert(kept.end(), whole.begin(), whole.end());
  }

  static constexpr size_t kMostLeaders = 32;
  const Sequence& sequence_;
  const Evidence& evidence_;
  std::vector<Tile> tiles_;
  uint32_t first_, last_;
  double usual_;  // length
  Tile usual_tile_;
  Openings openings_;
  std::vector<uint32_t> marks_;
  // by events in the middle of iterations: used where no others are
  std::vector<uint32_t> far_marks_;
};

}  // namespace

std::vector<Tile> split_by_signs(const Sequence& sequence, const Evidence& evidence,
                                 std::vector<Tile> tiles, uint32_t first, uint32_t last) {
  if (tiles.size() < 2) return tiles;
  return Splitter(sequence, evidence, std::move(tiles), first, last).split();
}

}  // namespace deepprof
