#include "analysis/iterations/levels.h"
#include "analysis/repeats/dominant_run.h"
#include "libdeepprof/upper_median.h"

#include <algorithm>
#include <span>
#include <tuple>

namespace deepprof {
namespace {

constexpr double kAlternate = 0.85;    // neighbours that differ, for two groups of one level
constexpr size_t kLeaders = 16;        // classes tried for each group, among those of like count
constexpr uint32_t kShortStretch = 4;  // symbols
constexpr size_t kLandmarks = 24;      // kept for a level
constexpr size_t kFewLandmarks = 12;   // a level gets at least so many, if it has them
// ops between two landmarks of one part: noise takes neighbours together
constexpr double kApart = 3;
constexpr uint32_t kFewest = 4;  // with fewer repetitions, distances must agree as well
constexpr size_t kGlance = 16;   // occurrences
constexpr double kSameDistance = 0.15;
constexpr size_t kMostLevels = 28;
constexpr std::ptrdiff_t kLevelsOfACount = 3;

using Occurrences = std::span<const uint32_t>;

struct Group {
  uint32_t length = 0;  // of its stretch; 0: events of a host sign
  uint32_t sign = 0;
  Occurrences at;
};

struct Class {
  std::vector<const Group*> members;  // the first one leads

  bool has_evidence() const { return members.front()->length == 0; }
  size_t mass() const {
    size_t sum = 0;
    for (const Group* member : members) sum += member->at.size();
    return sum;
  }
};

// Whether of neighbours, in the merged occurrences of both, at least that share is of different
// groups: all when they take turns. Occurrences at one place count as a in front of b.
bool alternate(Occurrences a, Occurrences b, double share) {
  const size_t neighbours = a.size() + b.size() - 1;
  const auto enough = [&](size_t alike) {
    return static_cast<double>(neighbours - alike) / static_cast<double>(neighbours) >= share;
  };
  size_t i = 0, j = 0, alike = 0;
  int last = -1;
  while (i < a.size() || j < b.size()) {
    const int next = j == b.size() || (i < a.size() && a[i] <= b[j]) ? 0 : 1;
    if (next == last && !enough(++alike)) return false;
    last = next;
    next == 0 ? ++i : ++j;
  }
  return true;
}

double median_gap(Occurrences at) {
  std::vector<double> gaps;
  for (size_t i = 1; i < at.size(); ++i) gaps.push_back(at[i] - at[i - 1]);
  return upper_median(std::move(gaps));
}

bool same_distances(Occurrences a, Occurrences b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 1; i < a.size(); ++i) {
    const double x = a[i] - a[i - 1], y = b[i] - b[i - 1];
    if (x > y * (1 + kSameDistance) || y > x * (1 + kSameDistance)) return false;
  }
  return true;
}

// A look at the middle, to spare the whole comparison where two groups plainly do not take turns.
bool may_alternate(Occurrences a, Occurrences b) {
  if (a.size() < 4 * kGlance || b.size() < 4 * kGlance) return true;
  const Occurrences part = a.subspan(a.size() / 2, kGlance);
  const auto from = std::lower_bound(b.begin(), b.end(), part.front());
  const auto to = std::upper_bound(from, b.end(), part.back());
  if (from == to) return false;
  return alternate(part, Occurrences(from, to), kAlternate / 2);
}

bool belongs(const Class& existing, const Group& group) {
  const Occurrences leader = existing.members.front()->at;
  if (std::min(leader.size(), group.at.size()) < kFewest)
    return same_distances(leader, group.at) && alternate(leader, group.at, 1);
  return may_alternate(leader, group.at) && alternate(leader, group.at, kAlternate);
}

// Sorts groups into classes: a group joins the first class whose leader it alternates with.
class Classes {
 public:
  void add(const Group& group) {
    if (group.at.size() < 2) return;
    size_t tried = 0;
    for (Class& candidate : classes_) {
      const double ratio = static_cast<double>(candidate.members.front()->at.size()) /
                           static_cast<double>(group.at.size());
      if (ratio < 0.7 || ratio > 1.43) continue;
      if (belongs(candidate, group)) {
        candidate.members.push_back(&group);
        return;
      }
      if (++tried == kLeaders) return;
    }
    classes_.push_back({{&group}});
  }
  std::vector<Class>& all() { return classes_; }

 private:
  std::vector<Class> classes_;
};

// The classes worth weighing: those that host signs lead, then the heaviest, but few of each count,
// so that the many parts of a layer do not crowd out what comes once in an iteration.
std::vector<const Class*> promising(std::vector<Class>& all) {
  std::stable_sort(all.begin(), all.end(), [](const Class& a, const Class& b) {
    if (a.has_evidence() != b.has_evidence()) return a.has_evidence();
    return a.mass() > b.mass();
  });
  std::vector<const Class*> picked;
  for (const Class& candidate : all) {
    if (picked.size() == kMostLevels) break;
    const auto like = [&](const Class* other) {
      const double ratio = static_cast<double>(other->members.front()->at.size()) /
                           static_cast<double>(candidate.members.front()->at.size());
      return ratio > 0.8 && ratio < 1.25;
    };
    const auto alike = std::count_if(picked.begin(), picked.end(), like);
    if (candidate.has_evidence() || alike < kLevelsOfACount) picked.push_back(&candidate);
  }
  return picked;
}

// Where a member stands in the repetition that the leader opens: median distance behind the leader,
// and as a share of the repetition.
struct Place {
  double offset = 0, share = 0;
  const Group* group = nullptr;
};

// Calls visit(offset, gap) for each repetition that shows the member: how far behind the leader,
// and how long the repetition is.
void for_each_place(Occurrences leader, Occurrences member, const auto& visit) {
  size_t at = 0;
  for (size_t i = 0; i + 1 < leader.size(); ++i) {
    while (at < member.size() && member[at] < leader[i]) ++at;
    if (at == member.size()) break;
    if (member[at] < leader[i + 1]) visit(member[at] - leader[i], leader[i + 1] - leader[i]);
  }
}

Place place(const Group& leader, const Group& member) {
  // Where most repetitions are the same, the one in the middle is as most are: then only how many
  // are like it is asked.
  const size_t middle = (leader.at.size() - 1) / 2;
  const uint32_t opens = leader.at[middle], gap = leader.at[middle + 1] - opens;
  const auto there = std::lower_bound(member.at.begin(), member.at.end(), opens);
  const uint32_t offset = there == member.at.end() ? 0 : *there - opens;
  size_t all = 0, same = 0;
  for_each_place(leader.at, member.at, [&](uint32_t its_offset, uint32_t its_gap) {
    ++all;
    same += (its_offset == offset) & (its_gap == gap);
  });
  if (2 * same > all)
    return {static_cast<double>(offset), static_cast<double>(offset) / gap, &member};
  std::vector<uint32_t> offsets;
  std::vector<double> shares;
  offsets.reserve(all);
  shares.reserve(all);
  for_each_place(leader.at, member.at, [&](uint32_t its_offset, uint32_t its_gap) {
    offsets.push_back(its_offset);
    shares.push_back(static_cast<double>(its_offset) / its_gap);
  });
  return {static_cast<double>(upper_median(std::move(offsets))), upper_median(std::move(shares)),
          &member};
}

Landmark make_landmark(const Sequence& sequence, const Place& where) {
  Landmark landmark;
  landmark.sign = where.group->sign;
  landmark.offset = where.offset;
  if (where.group->length > 0) {
    const auto from = sequence.symbols.begin() + where.group->at.front();
    landmark.stretch.assign(from, from + where.group->length);
  }
  return landmark;
}

size_t off(size_t count, size_t usual) { return count > usual ? count - usual : usual - count; }

// Median count of the short members: long stretches are lost more often, and at the string's end.
uint32_t usual_count(const Class& members) {
  std::vector<double> counts, short_counts;
  for (const Group* member : members.members) {
    counts.push_back(static_cast<double>(member->at.size()));
    if (member->length <= kShortStretch) short_counts.push_back(counts.back());
  }
  return static_cast<uint32_t>(upper_median(short_counts.empty() ? counts : short_counts));
}

// Of each part of the repetition the shortest landmarks (noise spares them), then those whose count
// is nearest to the usual one; more of a part where few parts have any. In the order of `places`.
std::vector<const Place*> pick_landmarks(const std::vector<Place>& places, const Group& leader,
                                         uint32_t usual) {
  const auto rank = [&](const Place& p) {
    return std::tuple(p.group != &leader, p.group->length / kShortStretch,
                      off(p.group->at.size(), usual));
  };
  std::vector<std::vector<const Place*>> parts(kLandmarks);
  for (const Place& p : places)
    parts[std::min(static_cast<size_t>(p.share * kLandmarks), kLandmarks - 1)].push_back(&p);
  size_t occupied = 0;
  for (const auto& part : parts) occupied += !part.empty();
  const size_t each = std::max<size_t>(1, kFewLandmarks / occupied);
  std::vector<const Place*> picked;
  for (auto& part : parts) {
    std::stable_sort(part.begin(), part.end(),
                     [&](const Place* a, const Place* b) { return rank(*a) < rank(*b); });
    size_t taken = 0;
    for (const Place* p : part) {
      const bool apart = std::none_of(
          picked.end() - static_cast<std::ptrdiff_t>(taken), picked.end(), [&](const Place* other) {
            return p->offset > other->offset - kApart && p->offset < other->offset + kApart;
          });
      if (!apart) continue;
      picked.push_back(p);
      if (++taken == each) break;
    }
  }
  std::sort(picked.begin(), picked.end());  // pointers into one vector
  return picked;
}

LevelModel make_level(const Sequence& sequence, const Class& members) {
  LevelModel level;
  const Group& leader = *members.members.front();
  std::vector<Place> places;
  for (const Group* member : members.members) {
    places.push_back(member == &leader ? Place{0, 0, member} : place(leader, *member));
  }
  level.count = usual_count(members);
  level.length = median_gap(leader.at);
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.share < b.share; });

  uint32_t last_place = UINT32_MAX;
  for (const Place& p : places) {
    const auto here = static_cast<uint32_t>(p.offset);
    level.support += here != last_place;
    last_place = here;
  }
  for (const Place* p : pick_landmarks(places, leader, level.count))
    level.landmarks.push_back(make_landmark(sequence, *p));
  return level;
}

// Whether the stretch stands at one place of each repetition of the run, and hardly elsewhere. A
// long one does not fit behind the last place.
bool marks(const Group& group, const Run& run) {
  const auto from = std::lower_bound(group.at.begin(), group.at.end(), run.first);
  const auto to = std::lower_bound(from, group.at.end(), run.last);
  const auto inside = static_cast<size_t>(to - from);
  if (group.length == 0 || inside + 1 < run.count() || 4 * inside < 3 * group.at.size())
    return false;
  return std::adjacent_find(from, to,
                            [&](uint32_t a, uint32_t b) { return b - a != run.period; }) == to;
}

// The level that a run of the window is; none where no stretch tells its places apart.
std::optional<LevelModel> exact_level(const Sequence& sequence, const std::vector<Group>& groups,
                                      const Run& run) {
  Class members;
  for (const Group& group : groups) {
    if (marks(group, run)) members.members.push_back(&group);
  }
  if (members.members.empty()) return std::nullopt;
  LevelModel level = make_level(sequence, members);
  level.length = run.period;
  level.count = run.count();
  level.support = run.period;
  return level;
}

}  // namespace

std::vector<LevelModel> find_levels(const Sequence& sequence, const Evidence& evidence,
                                    uint32_t first, uint32_t last) {
  const uint32_t n = last - first;
  const auto window = std::span(sequence.symbols).subspan(first, n);
  std::optional<Run> run = dominant_run(window);
  if (run && run->period == 1) run.reset();  // one op: nothing tells where it begins
  const uint32_t most = run && run->period == 2 ? n / 2 + 1 : n / 3 + 1;
  KgramGroups kgrams = find_kgrams(window, static_cast<uint32_t>(sequence.hints.size()), most);
  for (uint32_t& at : kgrams.occurrences) at += first;

  std::vector<Group> groups;
  for (uint32_t sign = 0; sign < evidence.signs.size(); ++sign) {
    groups.push_back({0, sign, within(evidence.signs[sign].at, first, last)});
  }
  for (const KgramGroup& group : kgrams.groups)
    groups.push_back({group.length, 0, kgrams.of(group)});

  Classes classes;
  for (const Group& group : groups) classes.add(group);
  std::vector<LevelModel> levels;
  for (const Class* members : promising(classes.all()))
    levels.push_back(make_level(sequence, *members));
  if (run) {
    run->first += first, run->last += first;
    std::optional<LevelModel> exact = exact_level(sequence, groups, *run);
    if (exact) {
      // Of the whole string: what its ends say is not to depend on the window.
      exact->run = widened(sequence.symbols, *run);
      levels.push_back(std::move(*exact));
    }
  }
  std::stable_sort(levels.begin(), levels.end(),
                   [](const LevelModel& a, const LevelModel& b) { return a.length < b.length; });
  return levels;
}

}  // namespace deepprof
