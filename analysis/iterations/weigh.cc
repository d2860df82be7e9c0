#include "analysis/iterations/weigh.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "analysis/iterations/contents.h"
#include "analysis/iterations/interruptions.h"
#include "libdeepprof/upper_median.h"

namespace deepprof {
namespace {

constexpr std::array<double, kSigns> kVote = {3, 1.2, 0.6, 0.7, 0.8, 1.5};  // by Sign
constexpr double kFirstOp = 0.6;  // recordings often begin where an iteration does
constexpr double kResumed = 1.5;  // where most repetitions go on behind something else
constexpr size_t kFewestResumed = 3;
constexpr double kBothEnds = 3;  // they hardly ever begin and end there by chance
constexpr double kSurely = 0.7;
constexpr double kByChance = 10;  // ops: repetitions this short end anywhere by chance
// of a repetition: so much may be lost where the recording begins and ends with one
constexpr double kHardlyOff = 0.005;
constexpr double kExact = 1;            // ops: signs this close are at the same op
constexpr double kSameOp = 0.5;         // likewise, the very same op
constexpr double kWindow = 0.03;        // of a repetition: signs this close are at one place
constexpr double kFewOfASign = 2;       // in a repetition
constexpr double kShortPauses_us = 10;  // as long as pauses that mark nothing
constexpr size_t kFrame = 3;            // ops around the repetitions
constexpr size_t kFewestLayers = 4;     // repetitions
constexpr double kLittle = 0.5;         // of a repetition: what one pass has around its layers
constexpr size_t kMostLinks = 60'000;   // a chain of more says nothing new about a level
constexpr size_t kMostCompared = 400;   // repetitions whose contents are compared
constexpr double kApart = 0.5;          // distance of contents of something else
// repetitions around an end of the string that are laid to place it
constexpr double kReach = 3;

double abs(double x) { return x < 0 ? -x : x; }

// Where a symbol lies in its repetition, measured from the nearer landmark of the chain.
class Ruler {
 public:
  Ruler(const LevelModel& level, const std::vector<Link>& chain) : level_(level), chain_(chain) {}

  // Call with ascending positions. Offsets in [0, length of the level).
  double offset(uint32_t at) {
    find(at);
    double value = offset_of(*nearest_) + distance_;
    value -= level_.length * std::floor(value / level_.length);
    return value < level_.length ? value : 0;  // the product is rounded
  }
  // Farther than a repetition from any landmark there is something else, in which nothing has an
  // offset.
  bool knows(uint32_t at) {
    find(at);
    return abs(distance_) <= level_.length;
  }

 private:
  void find(uint32_t at) {
    while (next_ < chain_.size() && chain_[next_].at <= at) ++next_;
    const bool has_before = next_ > 0, has_after = next_ < chain_.size();
    const bool before =
        has_before && (!has_after || at - chain_[next_ - 1].at <= chain_[next_].at - at);
    nearest_ = &chain_[before ? next_ - 1 : next_];
    distance_ = static_cast<double>(at) - nearest_->at;
  }
  double offset_of(const Link& link) const { return level_.landmarks[link.landmark].offset; }

  const LevelModel& level_;
  const std::vector<Link>& chain_;
  size_t next_ = 0;
  // to the position asked for last, which lies so many ops behind it
  const Link* nearest_ = nullptr;
  double distance_ = 0;
};

using Offsets = std::vector<double>;

class Votes {
 public:
  // `begin` and `end`: where in a repetition the recording begins and ends, if it does;
  // `whole_string`: it begins with the string.
  Votes(const Sequence& sequence, const Evidence& evidence, const Weighed& w, uint32_t first,
        uint32_t last, std::optional<double> begin, std::optional<double> end, bool whole_string)
      : length_(w.level.length),
        window_(std::max(3.0, kWindow * w.level.length)),
        tiles_(static_cast<double>(w.starts.size())),
        whole_string_(whole_string),
        resumed_(resumed_at(sequence, w.level, w.chain)) {
    for (const SignEvents& events : evidence.signs)
      measure(events.sign, within(events.at, first, last), w);
    measure(Sign::pause, longest_pauses(evidence, first, last, w.starts.size()), w);
    first_op_ = begin;
    const double most = std::max(kExact, kHardlyOff * length_);
    const bool ends = begin && end && apart(*begin, *end) <= most && w.starts.size() > 1;
    both_ends_ = ends ? std::max(0.0, 1 - kByChance * most / length_) : 0;
  }

  Cut best() const {
    Cut result;
    result.offset = first_op_.value_or(0);
    result.votes = first_op_ ? kFirstOp / 2 : 0;
    // Where votes tie, the sign that stands nearest to the boundary decides.
    for (const Sign sign :
         {Sign::pause, Sign::feed, Sign::copy, Sign::scalar, Sign::update, Sign::read_back}) {
      for (size_t list = 0; list < lists_.size(); ++list) {
        if (lists_[list].sign != sign) continue;
        for (const double offset : peaks(lists_[list].offsets)) {
          Cut cut = at(offset);
          cut.marked_by = sign == Sign::pause ? Cut::kPauses : static_cast<int>(list);
          if (cut.votes > result.votes + 1e-9) result = cut;
        }
      }
    }
    double before = -kExact;
    for (const double offset : resumed_) {
      if (resumed_.size() < kFewestResumed || offset < before + kExact) continue;
      before = offset;
      Cut cut = at(offset);
      cut.marked_by = Cut::kResumptions;
      if (cut.votes > result.votes + 1e-9) result = cut;
    }
    if (!first_op_) return result;
    const Cut start = at(*first_op_);
    return start.votes > result.votes ? start : result;
  }
  // The highest share of each list of events at any place; the pauses last.
  std::vector<double> highest() const {
    std::vector<double> result;
    for (const List& list : lists_) {
      double most = 0;
      for (const double offset : peaks(list.offsets))
        most = std::max(most, share(list.offsets, offset, window_));
      result.push_back(most);
    }
    return result;
  }
  Sign sign(size_t list) const { return lists_[list].sign; }
  double both_ends() const { return both_ends_; }

 private:
  struct List {
    Sign sign;
    Offsets offsets;  // ascending
  };

  // Of what stands everywhere in a repetition, some stands at any place of it.
  bool are_everywhere(std::span<const uint32_t> events) const {
    const double each = static_cast<double>(events.size()) / tiles_;
    return each > kFewOfASign && each * (2 * window_ + 1) >= length_;
  }
  void measure(Sign sign, std::span<const uint32_t> events, const Weighed& w) {
    Ruler ruler(w.level, w.chain);
    List list{sign, {}};
    if (are_everywhere(events)) events = {};
    for (const uint32_t at : events) list.offsets.push_back(ruler.offset(at));
    std::sort(list.offsets.begin(), list.offsets.end());
    lists_.push_back(std::move(list));
  }
  // Of two offsets, cyclically.
  double apart(double a, double b) const { return std::min(abs(a - b), abs(length_ - abs(a - b))); }
  // Share of the repetitions with an offset within `window` around `offset`, cyclically.
  double share(const Offsets& offsets, double offset, double window) const {
    return share(offsets, offset, window, tiles_);
  }
  // Of `all`.
  double share(const Offsets& offsets, double offset, double window, double all) const {
    const auto count = [&](double from, double to) {
      return std::upper_bound(offsets.begin(), offsets.end(), to) -
             std::lower_bound(offsets.begin(), offsets.end(), from);
    };
    auto events = count(offset - window, offset + window);
    if (offset - window < 0) events += count(offset - window + length_, length_);
    if (offset + window >= length_) events += count(0, offset + window - length_);
    return std::min(1.0, static_cast<double>(events) / all);
  }
  // Share of the repetitions with an event of the list at this op. An optimizer run of a single op
  // ends an op behind the pause in front of it, and is not to be cut off its iteration.
  double exact_share(const List& list, double offset) const {
    constexpr double kBefore = kExact, kBehind = kSameOp;
    if (list.sign != Sign::update) return share(list.offsets, offset, kExact);
    return share(list.offsets, offset - (kBefore - kBehind) / 2, (kBefore + kBehind) / 2);
  }
  // The commonest offsets.
  Offsets peaks(const Offsets& offsets) const {
    Offsets result;
    for (size_t i = 0; i < offsets.size();) {
      size_t j = i;
      while (j < offsets.size() && offsets[j] < offsets[i] + 1) ++j;
      if (static_cast<double>(j - i) >= 0.3 * tiles_) result.push_back(offsets[i]);
      i = j;
    }
    return result;
  }
  Cut at(double offset) const {
    Cut cut;
    cut.offset = offset;
    std::array<double, kSigns> exact{};
    for (const List& list : lists_) {
      const auto sign = static_cast<size_t>(list.sign);
      cut.share[sign] = std::max(cut.share[sign], share(list.offsets, offset, window_));
      exact[sign] = std::max(exact[sign], exact_share(list, offset));
    }
    // What stands exactly here counts again: the wide window finds the boundary, this the place.
    for (size_t sign = 0; sign < kSigns; ++sign)
      cut.votes += kVote[sign] * (cut.share[sign] + exact[sign] / 2);
    if (resumed_.size() >= kFewestResumed) {
      const auto all = static_cast<double>(resumed_.size());
      cut.votes += kResumed * (share(resumed_, offset, window_, all) +
                               share(resumed_, offset, kExact, all) / 2);
    }
    if (!first_op_) return cut;
    const double from_first = apart(offset, *first_op_);
    const bool at_first_op = from_first <= window_, exactly = from_first <= kExact;
    if (at_first_op) cut.votes += kFirstOp;
    if (exactly) cut.votes += kFirstOp;
    if (from_first < kSameOp) cut.votes += kBothEnds * both_ends_;
    cut.at_first_op = at_first_op && whole_string_;
    cut.exactly = exactly && whole_string_;
    return cut;
  }

  std::vector<List> lists_;  // as Evidence::signs, then the pauses
  double length_, window_, tiles_;
  bool whole_string_;
  Offsets resumed_;  // where repetitions go on behind something else
  std::optional<double> first_op_;
  // how sure it is that the string ends where repetitions do, given that it begins so
  double both_ends_ = 0;
};

// Indices of the links that open a repetition with at least half of the level's landmarks.
void find_starts(const Sequence& sequence, Weighed& w, uint32_t first, uint32_t last) {
  const size_t least = (w.level.landmarks.size() + 1) / 2;
  double covered = 0, rows = 0;
  uint32_t at = first;
  for (size_t i = 0; i < w.chain.size();) {
    size_t j = i + 1;
    while (j < w.chain.size() && !w.chain[j].opens) ++j;
    const uint32_t end =
        j < w.chain.size() ? w.chain[j].at : std::min<uint32_t>(last, w.chain[j - 1].at + 1);
    if (j - i >= least) {
      w.starts.push_back(static_cast<uint32_t>(i));
      const auto length =
          std::min(end - w.chain[i].at, static_cast<uint32_t>(1.5 * w.level.length));
      covered += length;
      rows += copies_in_rows(sequence, at, w.chain[i].at);
      at = w.chain[i].at + length;
    }
    i = j;
  }
  rows += copies_in_rows(sequence, at, last);
  if (covered > 0) w.coverage = std::min(1.0, covered / (last - first - rows));
}

size_t count_kinds(const Sequence& sequence, const Tile& tile) {
  std::vector<uint8_t> seen(sequence.hints.size(), 0);
  for (uint32_t at = tile.first; at < tile.last; ++at) {
    seen[sequence.symbols[at]] = is_kernel(sequence.hint(at));
  }
  return static_cast<size_t>(std::count(seen.begin(), seen.end(), 1));
}

void compare(const Sequence& sequence, Weighed& w, uint32_t last) {
  std::vector<Tile> tiles;
  for (size_t i = 0; i < w.starts.size() && i < kMostCompared; ++i) {
    const uint32_t end = i + 1 < w.starts.size() ? w.chain[w.starts[i + 1]].at
                                                 : std::min(last, w.chain.back().at + 1);
    tiles.push_back({w.chain[w.starts[i]].at, end, false});
  }
  const Contents contents(sequence.symbols, static_cast<uint32_t>(sequence.hints.size()), tiles);
  if (!tiles.empty()) w.kinds = count_kinds(sequence, tiles[tiles.size() / 2]);
  if (contents.size() < 2) return;
  w.unlike = contents.mean_distance(1, contents.size());
  if (contents.size() < 3) return;
  for (size_t i = 0; i + 1 < contents.size(); ++i) {
    const double a = contents.length(i), b = contents.length(i + 1);
    w.uneven += abs(a - b) / (a + b) / static_cast<double>(contents.size() - 1);
  }
  w.cycle = find_cycle(sequence, contents);
}

// How much of a part of the string, which it reaches, is the run.
double share_of(Part part, const Run& run) {
  const uint32_t first = std::max(part.first, run.first), last = std::min(part.last, run.last);
  return static_cast<double>(last - first) / (part.last - part.first);
}

// Whether what stands between the run and op `at` beside it is no repetition that differs a little
// (a first one that sets itself up) but something else.
bool stands_apart(const Sequence& sequence, const Run& run, uint32_t at) {
  if (at >= run.first && at < run.last) return false;
  const Tile beside = at < run.first ? Tile{at, run.first} : Tile{run.last, at + 1};
  if (beside.last - beside.first > run.period) return true;
  const Tile inside = at < run.first ? Tile{beside.first + run.period, beside.last + run.period}
                                     : Tile{beside.first - run.period, beside.last - run.period};
  const std::array<Tile, 2> both{beside, inside};
  return Contents(sequence.symbols, static_cast<uint32_t>(sequence.hints.size()), both)
             .distance(0, 1) > kApart;
}

// Where in a repetition op `at` of the string lies, if it lies in one.
std::optional<double> place_of(const Sequence& sequence, const Evidence& evidence, const Weighed& w,
                               uint32_t at, Part window, Part whole) {
  if (w.level.run && stands_apart(sequence, *w.level.run, at)) return std::nullopt;
  const auto place = [&](const std::vector<Link>& chain) -> std::optional<double> {
    if (chain.empty()) return std::nullopt;
    Ruler ruler(w.level, chain);
    return ruler.knows(at) ? std::optional(ruler.offset(at)) : std::nullopt;
  };
  if (at >= window.first && at < window.last) return place(w.chain);
  const auto reach = static_cast<uint32_t>(kReach * w.level.length) + 1;
  const uint32_t first = at - std::min(reach, at - whole.first),
                 last = at + std::min(reach, whole.last - at);
  return place(lay_chain(sequence, evidence, w.level, first, last));
}

void weigh_pauses(const Evidence& evidence, Weighed& w, uint32_t first, uint32_t last) {
  const size_t count = w.starts.size();
  const double longest = longest_pauses_us(evidence, first, last, count),
               all = evidence.all_pauses_us;
  const double next = longest_pauses_us(evidence, first, last, 2 * count) - longest;
  w.pause_share = all > 0 ? longest / all : 0;
  w.pause_contrast = longest / (next + kShortPauses_us * static_cast<double>(count));
}

// The last repetition may be cut.
double even_updates(const std::vector<uint32_t>& updates, const Weighed& w) {
  std::vector<size_t> counts;
  for (size_t i = 0; i + 1 < w.starts.size(); ++i)
    counts.push_back(within(updates, w.chain[w.starts[i]].at, w.chain[w.starts[i + 1]].at).size());
  if (counts.empty()) return 1;
  const size_t usual = upper_median(counts);
  return static_cast<double>(std::count(counts.begin(), counts.end(), usual)) /
         static_cast<double>(counts.size());
}

// Layers have the beginning and the end of the model around them.
void find_frame(const Sequence& sequence, Weighed& w, Part window, Part whole) {
  std::vector<uint8_t> inside(sequence.hints.size(), 0);
  const uint32_t first = w.chain[w.starts.front()].at, last = w.chain[w.starts.back()].at,
                 end = w.chain.back().at + 1;
  const auto strange = [&](uint32_t a, uint32_t b) {
    size_t count = 0;
    for (uint32_t at = a; at < b; ++at) count += inside[sequence.symbols[at]] == 0;
    return count;
  };
  // The end of a model may begin as a layer does: the chain's last links stand there.
  for (uint32_t at = first; at < last; ++at) inside[sequence.symbols[at]] = 1;
  const double outside = (1 - w.coverage) * (window.last - window.first);
  const bool alone = w.starts.size() >= kFewestLayers && window.first == whole.first &&
                     window.last == whole.last && outside <= kLittle * w.level.length;
  w.enclosed = alone && strange(window.first, first) > 0 && strange(last, window.last) > 0;
  const auto& run = w.level.run;
  w.breaks_off = alone && run && run->first > whole.first && run->last < whole.last;
  for (uint32_t at = last; at < end; ++at) inside[sequence.symbols[at]] = 1;
  w.framed = strange(window.first, first) >= kFrame && strange(end, window.last) >= kFrame;
}

}  // namespace

Weighed weigh(const CopyTime& copy_time, const Sequence& sequence, const Evidence& evidence,
              LevelModel level, Part window, Part whole) {
  const auto [first, last] = window;
  Weighed w;
  w.level = std::move(level);
  thin(w.level, kMostLinks);
  w.chain = lay_chain(sequence, evidence, w.level, first, last);
  if (w.chain.empty()) return w;
  find_starts(sequence, w, first, last);
  if (w.level.run) {
    w.coverage = share_of(window, *w.level.run);
    w.exact = share_of(whole, *w.level.run);
  }
  if (w.starts.empty()) return w;
  if (evidence.updates() != nullptr) {
    w.updates = static_cast<double>(within(evidence.updates()->at, first, last + 1).size()) /
                static_cast<double>(w.starts.size());
    w.even_updates = even_updates(evidence.updates()->at, w);
    w.holds_updates = evidence.updates_in(w.chain[w.starts.front()].at, w.chain.back().at + 1) > 0;
  }
  // A recording that was switched on between two iterations holds ops launched before. One switched
  // on at any time is likely to begin in a pause, which shows no iteration: it only votes.
  const uint32_t recorded_from = std::clamp(evidence.recorded_from, whole.first, whole.last - 1);
  const std::optional<double> begin = place_of(sequence, evidence, w, recorded_from, window, whole);
  std::optional<double> end = place_of(sequence, evidence, w, whole.last - 1, window, whole);
  if (end) *end += 1;
  const Votes votes(sequence, evidence, w, first, last, begin, end, recorded_from == whole.first);
  w.cut = votes.best();
  w.whole = recorded_from == whole.first && votes.both_ends() > kSurely;
  weigh_pauses(evidence, w, first, last);
  find_frame(sequence, w, window, whole);
  w.by_list = votes.highest();
  for (size_t list = 0; list < w.by_list.size(); ++list) {
    double& best = w.best[static_cast<size_t>(votes.sign(list))];
    best = std::max(best, w.by_list[list]);
  }
  w.by_list.resize(evidence.signs.size());
  // Asked only of levels that show copies.
  const auto shows = [&](Sign sign) {
    return w.best[static_cast<size_t>(sign)] > 0 || w.cut[sign] > 0;
  };
  if (shows(Sign::feed) || shows(Sign::copy))
    w.copied_in = copy_time.copied_in(w.chain[w.starts.front()].at, w.chain.back().at + 1);
  compare(sequence, w, last);
  return w;
}

}  // namespace deepprof
