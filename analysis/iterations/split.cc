#include "analysis/iterations/split.h"

#include <algorithm>
#include <span>

#include "analysis/iterations/contents.h"

namespace deepprof {
namespace {

constexpr double kOnce = 0.85;       // of tiles that hold exactly one event of the sign
constexpr double kLong = 1.25;       // times the usual length: may be two
constexpr double kUsualLeast = 0.8;
constexpr double kClose = 0.5;       // of the usual length: an iteration may be so much longer
constexpr double kShort = 0.1;       // of the usual length: cuts this close are one
constexpr double kShortest = 0.2;    // of the usual length: too short for an iteration of its own
constexpr double kAlike = 0.25;      // distance of contents
constexpr double kContained = 0.85;  // of a piece's ops that the usual tile has too

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class Splitter {
 public:
  Splitter(const Sequence& sequence, const Evidence& evidence, std::vector<Tile> tiles, uint32_t first, uint32_t last)
      : sequence_(sequence), evidence_(evidence), tiles_(std::move(tiles)), first_(first), last_(last) {
    std::vector<double> lengths;
    for (const Tile& tile : tiles_) lengths.push_back(tile.last - tile.first);
    usual_ = median(lengths);
    for (const SignEvents& events : evidence.signs) {
      if (events.sign != Sign::scalar) find_marks(events.at);
    }
    std::sort(marks_.begin(), marks_.end());
  }

  std::vector<Tile> split() {
    if (marks_.empty()) return std::move(tiles_);
    extend_to_marks();
    close_to_marks();
    std::vector<Tile> result, pieces;
    uint32_t at = first_;
    for (const Tile& tile : tiles_) {
      divide(at, tile.first, pieces);
      if (tile.last - tile.first > kLong * usual_ && marks_within(tile.first, tile.last) > 0) {
        divide(tile.first, tile.last, pieces);
      } else {
        result.push_back(tile);
      }
      at = tile.last;
    }
    divide(at, last_, pieces);
    keep_likely(pieces, result);
    std::sort(result.begin(), result.end(), [](const Tile& a, const Tile& b) { return a.first < b.first; });
    return result;
  }

 private:
  // Adds the cuts that the events imply to marks_, if nearly every tile holds exactly one.
  void find_marks(const std::vector<uint32_t>& events) {
    size_t once = 0;
    std::vector<double> offsets;
    for (const Tile& tile : tiles_) {
      // An event belongs to the ops before it (an update's end) or behind it (a feed): either border counts.
      const auto from = std::upper_bound(events.begin(), events.end(), tile.first);
      const auto to = std::upper_bound(events.begin(), events.end(), tile.last);
      if (to - from != 1) continue;
      ++once;
      const double from_start = *from - tile.first, from_end = *from - static_cast<double>(tile.last);
      offsets.push_back(from_start < -from_end ? from_start : from_end);
    }
    if (tiles_.size() < 2 || static_cast<double>(once) < kOnce * static_cast<double>(tiles_.size())) return;
    const double offset = median(offsets);
    for (const uint32_t event : events) {
      const double mark = event - offset;
      if (mark >= first_ && mark <= last_) marks_.push_back(static_cast<uint32_t>(mark));
    }
  }
  // A tile (of unusual length, or close behind a mark) that begins at no mark, with nothing but unclaimed ops between it and the mark before (or the
  // string's start), begins there: its first landmarks were not recognised.
  void extend_to_marks() {
    uint32_t free_from = first_;
    const double near = kShort * usual_;
    for (Tile& tile : tiles_) {
      const auto after = std::upper_bound(marks_.begin(), marks_.end(), tile.first + static_cast<uint32_t>(near));
      const double before = after == marks_.begin() ? first_ : *(after - 1);
      const bool at_mark = after != marks_.begin() && before >= tile.first - near;
      const double length = tile.last - tile.first;
      const bool usual = length > kUsualLeast * usual_ && length < kLong * usual_;
      const bool near_mark = after != marks_.begin() && tile.first - before < kClose * usual_;
      if ((!usual || near_mark) && !at_mark && before >= free_from - std::min<double>(free_from, near) && tile.first > free_from) {
        tile.first = std::max(free_from, static_cast<uint32_t>(before));
      }
      free_from = tile.last;
    }
  }
  // The other way round: ops behind a tile's end belong to it when that end is no mark and the next mark or
  // tile is near (an iteration longer than usual).
  void close_to_marks() {
    const auto near = static_cast<uint32_t>(kShort * usual_);
    for (size_t i = 0; i + 1 < tiles_.size(); ++i) {
      const uint32_t end = tiles_[i].last, next = tiles_[i + 1].first;
      const auto mark = std::lower_bound(marks_.begin(), marks_.end(), end > near ? end - near : 0);
      const uint32_t until = mark == marks_.end() ? next : std::min(*mark, next);
      if (until > end && until - end > near && until - end < kClose * usual_) tiles_[i].last = until;
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

  bool holds_update(const Tile& piece) const {
    return evidence_.updates() != nullptr && !within(evidence_.updates()->at, piece.first + 1, piece.last + 1).empty();
  }

  // Contents of the usual tile first, then of the pieces.
  void keep_likely(const std::vector<Tile>& pieces, std::vector<Tile>& kept) const {
    if (pieces.empty()) return;
    const Tile* usual = &tiles_.front();
    for (const Tile& tile : tiles_) {
      const auto off = [&](const Tile& t) { const double d = t.last - t.first - usual_; return d < 0 ? -d : d; };
      if (off(tile) < off(*usual)) usual = &tile;
    }
    std::vector<Tile> compared{*usual};
    compared.insert(compared.end(), pieces.begin(), pieces.end());
    const Contents contents(sequence_.symbols, static_cast<uint32_t>(sequence_.hints.size()), compared);
    std::vector<size_t> leaders;   // pieces without a twin among those before
    std::vector<bool> keep(compared.size(), false);
    for (size_t i = 1; i < compared.size(); ++i) {
      const bool long_enough = compared[i].last - compared[i].first >= kShortest * usual_;
      if (!long_enough) continue;
      keep[i] = holds_update(compared[i]) || contents.distance(0, i) < kAlike || contents.contained(i, 0) > kContained;
      bool twin = false;
      for (const size_t leader : leaders) {
        if (contents.distance(leader, i) >= kAlike) continue;
        keep[leader] = keep[i] = twin = true;
        break;
      }
      if (!twin && leaders.size() < kMostLeaders) leaders.push_back(i);
    }
    for (size_t i = 1; i < compared.size(); ++i) {
      if (keep[i]) kept.push_back(compared[i]);
    }
  }

  static constexpr size_t kMostLeaders = 32;
  const Sequence& sequence_;
  const Evidence& evidence_;
  std::vector<Tile> tiles_;
  uint32_t first_, last_;
  double usual_ = 0;
  std::vector<uint32_t> marks_;
};

}  // namespace

std::vector<Tile> split_by_signs(const Sequence& sequence, const Evidence& evidence, std::vector<Tile> tiles,
                                 uint32_t first, uint32_t last) {
  if (tiles.size() < 2) return tiles;
  return Splitter(sequence, evidence, std::move(tiles), first, last).split();
}

}  // namespace deepprof
