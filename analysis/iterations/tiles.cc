#include "analysis/iterations/tiles.h"
#include "libdeepprof/upper_median.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

namespace deepprof {
namespace {

constexpr double kWhole = 0.9;     // of the usual length: shorter ones at either end are partial
constexpr double kFragment = 0.4;  // of the usual length: less at the start is no iteration
// of the usual length: less at the end is no iteration of its own
constexpr double kTrailing = 0.1;
// of the usual length: a fragment, and it with its rest
constexpr double kPiece = 0.3, kTogether = 1.2;
// of the landmarks, for the two parts of one repetition
constexpr double kShared = 0.2, kMostOfThem = 0.6;
// of a repetition: a landmark this close to the cut places it well
constexpr double kNear = 0.1;
// of a repetition: more than this between two is no part of either
constexpr double kExcess = 0.15;

// The events that mark the cut, ascending; none where nothing but the repetition decides.
std::vector<uint32_t> cut_events(const Evidence& evidence, const Weighed& w, uint32_t first,
                                 uint32_t last) {
  if (w.cut.marked_by == Cut::kNothing || w.cut.marked_by == Cut::kResumptions) return {};
  if (w.cut.marked_by == Cut::kPauses)
    return longest_pauses(evidence, first, last, w.starts.size());
  const auto events = within(evidence.signs[static_cast<size_t>(w.cut.marked_by)].at, first, last);
  return {events.begin(), events.end()};
}

class Layer {
 public:
  Layer(const Sequence& sequence, const Evidence& evidence, const Weighed& w, uint32_t first,
        uint32_t last)
      : level_(w.level), first_(first), last_(last), events_(cut_events(evidence, w, first, last)) {
    rotate(level_, w.cut.offset);
    chain_ = lay_chain(sequence, evidence, level_, first, last);
    for (size_t i = 0; i < chain_.size(); ++i) {
      if (chain_[i].opens) opens_.push_back(i);
    }
  }

  std::vector<Tile> lay() {
    std::vector<Tile> tiles;
    if (opens_.empty()) return tiles;
    join_divided();
    const double usual_gap = boundary_gap();
    drop_leading_fragment();
    tiles.push_back({first_start(), 0, false});
    for (size_t i = 1; i < opens_.size(); ++i) {
      const Link& before = chain_[opens_[i] - 1];
      const Link& after = chain_[opens_[i]];
      const uint32_t start = boundary(before, after);
      // Room for something else between the two: the tile before ends where it usually does.
      const bool excess = after.at - before.at > usual_gap + kExcess * level_.length + 8;
      tiles.back().last = excess ? std::min(start, natural_end(before)) : start;
      tiles.push_back({start, 0, false});
    }
    tiles.back().last = last_end();
    // A few ops behind the last whole repetition close it: the cut stands a little early.
    if (tiles.size() > 1 && last_ - tiles.back().first < kTrailing * level_.length) {
      tiles.pop_back();
      tiles.back().last = last_;
    }
    std::erase_if(tiles, [](const Tile& tile) { return tile.first >= tile.last; });
    join_fragments(tiles);
    mark_partial(tiles);
    return tiles;
  }

 private:
  // Noise may put an early landmark into the middle of a repetition: two that share hardly any
  // landmark and are as long as one together are one.
  void join_divided() {
    std::vector<size_t> joined;
    for (size_t i = 0; i < opens_.size(); ++i) {
      const bool one =
          !joined.empty() &&
          are_one(joined.back(), opens_[i], i + 1 < opens_.size() ? opens_[i + 1] : chain_.size());
      if (!one) joined.push_back(opens_[i]);
    }
    opens_ = std::move(joined);
  }
  // The repetitions whose links are [a, b) and [b, end).
  bool are_one(size_t a, size_t b, size_t end) const {
    const double from = chain_[a].at - offset(chain_[a]),
                 to = chain_[end - 1].at + remaining(chain_[end - 1]);
    if (to - from > kTogether * level_.length) return false;
    const auto landmarks = [&](size_t i, size_t until) {
      uint64_t set = 0;
      for (; i < until; ++i) set |= uint64_t{1} << (chain_[i].landmark % 64);
      return set;
    };
    const uint64_t first = landmarks(a, b), second = landmarks(b, end);
    const auto shared = static_cast<double>(std::popcount(first & second)),
               most = static_cast<double>(level_.landmarks.size());
    return shared <= kShared * most && std::popcount(first | second) >= kMostOfThem * most;
  }

  // A short tile that makes one usual repetition together with the next is its beginning (ops that
  // changed their order opened a repetition too many).
  void join_fragments(std::vector<Tile>& tiles) const {
    for (size_t i = 0; i + 1 < tiles.size(); ++i) {
      const double length = tiles[i].last - tiles[i].first,
                   both = tiles[i + 1].last - tiles[i].first;
      if (length > kPiece * level_.length || both > kTogether * level_.length ||
          tiles[i].last != tiles[i + 1].first)
        continue;
      tiles[i + 1].first = tiles[i].first;
      tiles[i].last = tiles[i].first;
    }
    std::erase_if(tiles, [](const Tile& tile) { return tile.first >= tile.last; });
  }

  double offset(const Link& link) const { return level_.landmarks[link.landmark].offset; }
  double remaining(const Link& link) const { return std::max(0.0, level_.length - offset(link)); }

  // The event nearest to `guess` in [from, to] and not more than `reach` away, else the guess.
  uint32_t snapped(double guess, double reach, uint32_t from, uint32_t to) const {
    guess = std::clamp(guess, static_cast<double>(from), static_cast<double>(to));
    auto result = static_cast<uint32_t>(guess + .5);
    auto event = std::lower_bound(events_.begin(), events_.end(), from);
    for (; event != events_.end() && *event <= to; ++event) {
      const double distance = std::abs(*event - guess);
      if (distance <= reach) reach = distance, result = *event;
    }
    return result;
  }
  // The farther the landmark that a guess is measured from, the more the guess may be off.
  double reach(double distance) const { return 4 + std::min(distance / 2, 0.1 * level_.length); }

  // Where the repetition of `after` begins, `before` being the last link of the one before.
  uint32_t boundary(const Link& before, const Link& after) const {
    // Measured from the nearer link: repetitions differ in length.
    const bool from_after = offset(after) <= remaining(before);
    const double distance = from_after ? offset(after) : remaining(before);
    const double guess = from_after ? after.at - distance : before.at + distance;
    const auto only = std::upper_bound(events_.begin(), events_.end(), before.at);
    const bool one = only != events_.end() && *only <= after.at &&
                     (only + 1 == events_.end() || *(only + 1) > after.at);
    if (one && distance > kNear * level_.length) return *only;
    return snapped(guess, reach(distance), before.at + 1, after.at);
  }
  uint32_t natural_end(const Link& link) const {
    return std::min(last_,
                    snapped(link.at + remaining(link), reach(remaining(link)), link.at + 1, last_));
  }
  // Some last landmarks in front of the first whole repetition are the end of one that began before
  // the recording, or of something that resembles it.
  void drop_leading_fragment() {
    if (opens_.size() < 2 || chain_[opens_[0]].landmark * 2u < level_.landmarks.size()) return;
    const uint32_t end = boundary(chain_[opens_[1] - 1], chain_[opens_[1]]);
    if (end - first_ < kFragment * level_.length) opens_.erase(opens_.begin());
  }
  // The last event before the first link; what comes before an iteration may hold such events too.
  uint32_t first_start() const {
    const Link& link = chain_[opens_.front()];
    const double guess = std::max<double>(first_, link.at - offset(link));
    const uint32_t at = snapped(guess, reach(offset(link)), first_, link.at);
    if (at != static_cast<uint32_t>(guess + .5)) return at;
    auto event = std::upper_bound(events_.begin(), events_.end(), at);
    if (event != events_.begin() && at - *(event - 1) <= kMostSetUp * level_.length)
      return *(event - 1);
    return at - first_ < kFragment * level_.length ? first_ : at;
  }
  uint32_t last_end() const { return natural_end(chain_.back()); }

  double boundary_gap() const {
    std::vector<double> gaps;
    for (size_t i = 1; i < opens_.size(); ++i)
      gaps.push_back(chain_[opens_[i]].at - chain_[opens_[i] - 1].at);
    return upper_median(std::move(gaps));
  }

  void mark_partial(std::vector<Tile>& tiles) const {
    if (tiles.size() < 2) return;
    std::vector<double> lengths;
    for (const Tile& tile : tiles) lengths.push_back(tile.last - tile.first);
    std::vector<double> sorted = lengths;
    std::sort(sorted.begin(), sorted.end());
    // variable lengths: a short one is whole
    const double least = kWhole * sorted[sorted.size() / 10];
    if (tiles.front().first == first_ && lengths.front() < least) tiles.front().partial = true;
    if (tiles.back().last == last_ && lengths.back() < least) tiles.back().partial = true;
  }

  LevelModel level_;
  uint32_t first_, last_;
  std::vector<uint32_t> events_;
  std::vector<Link> chain_;
  std::vector<size_t> opens_;  // links that open a repetition
};

}  // namespace

std::vector<Tile> lay_tiles(const Sequence& sequence, const Evidence& evidence,
                            const Weighed& weighed, uint32_t first, uint32_t last) {
  return Layer(sequence, evidence, weighed, first, last).lay();
}

uint32_t usual_length(const std::vector<Tile>& tiles) {
  std::vector<uint32_t> lengths;
  for (const Tile& tile : tiles) lengths.push_back(tile.last - tile.first);
  return upper_median(std::move(lengths));
}

}  // namespace deepprof
