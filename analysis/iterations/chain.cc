#include "analysis/iterations/chain.h"

#include <algorithm>
#include <array>
#include <bit>

namespace deepprof {
namespace {

constexpr size_t kLookBack = 24;  // occurrences among which the one before is sought
constexpr float kMissing = 2.0f;  // cost of missing all landmarks between two links
constexpr float kFar = 0.5f;      // cost of a distance that is too long by a whole repetition
constexpr float kBreak = 1.5f;    // cost of starting anew

// Occurrences of all landmarks, by position.
std::vector<Link> find_occurrences(const Sequence& sequence, const Evidence& evidence,
                                   const LevelModel& level, uint32_t first, uint32_t last) {
  struct Start {
    uint16_t landmark;
    const std::vector<uint32_t>* stretch;
  };
  std::vector<std::vector<Start>> by_symbol(sequence.hints.size());
  std::vector<uint8_t> starts(sequence.hints.size(), 0);
  std::vector<Link> links;
  for (uint16_t index = 0; index < level.landmarks.size(); ++index) {
    const Landmark& landmark = level.landmarks[index];
    if (!landmark.stretch.empty()) {
      by_symbol[landmark.stretch[0]].push_back({index, &landmark.stretch});
      starts[landmark.stretch[0]] = 1;
      continue;
    }
    for (const uint32_t at : within(evidence.signs[landmark.sign].at, first, last))
      links.push_back({at, index, false});
  }
  const auto of_signs = static_cast<std::ptrdiff_t>(links.size());
  const std::vector<uint32_t>& symbols = sequence.symbols;
  const auto look_at = [&](uint32_t at) {
    for (const Start& start : by_symbol[symbols[at]]) {
      const std::vector<uint32_t>& stretch = *start.stretch;
      // Most that differ do so at their end: the ops of a layer begin alike.
      if (stretch.size() <= last - at && symbols[at + stretch.size() - 1] == stretch.back() &&
          std::equal(stretch.begin(), stretch.end() - 1, symbols.begin() + at)) {
        links.push_back({at, start.landmark, false});
      }
    }
  };
  // Where they may begin is gathered a block at a time: no branch could foresee it.
  std::array<uint32_t, 1024> begins;
  for (uint32_t at = first; at < last;) {
    const auto end = static_cast<uint32_t>(std::min<size_t>(last, at + begins.size()));
    size_t count = 0;
    for (; at < end; ++at) {
      begins[count] = at;
      count += starts[symbols[at]];
    }
    for (size_t i = 0; i < count; ++i) look_at(begins[i]);
  }
  const auto by_place = [](const Link& a, const Link& b) {
    return a.at != b.at ? a.at < b.at : a.landmark < b.landmark;
  };
  // The stretches were met in this order already.
  std::sort(links.begin(), links.begin() + of_signs, by_place);
  std::inplace_merge(links.begin(), links.begin() + of_signs, links.end(), by_place);
  return links;
}

class Costs {
 public:
  explicit Costs(const LevelModel& level)
      : length_(level.length), count_(static_cast<int>(level.landmarks.size())) {
    for (const Landmark& landmark : level.landmarks) offsets_.push_back(landmark.offset);
  }

  float operator()(const Link& from, const Link& to) const {
    int steps = to.landmark - from.landmark;
    double expected = offsets_[to.landmark] - offsets_[from.landmark];
    if (steps <= 0) steps += count_, expected += length_;
    const double distance = to.at - from.at;
    const double over = std::max(0.0, distance - expected) / length_;
    return kMissing * static_cast<float>(steps - 1) / static_cast<float>(count_) +
           kFar * static_cast<float>(std::min(1.0, over));
  }

  // Whether two links that a break parts are too far from each other to be of one repetition: one
  // unlike the others may lack most landmarks between its first and its last.
  bool far(const Link& from, const Link& to) const {
    return to.at - from.at > offsets_[to.landmark] - offsets_[from.landmark] + length_ / 2;
  }

 private:
  std::vector<double> offsets_;  // of the landmarks
  double length_;
  int count_;
};

}  // namespace

std::vector<Link> lay_chain(const Sequence& sequence, const Evidence& evidence,
                            const LevelModel& level, uint32_t first, uint32_t last) {
  const std::vector<Link> links = find_occurrences(sequence, evidence, level, first, last);
  std::vector<Link> chain;
  if (links.empty()) return chain;
  const Costs cost(level);
  // best[t]: the most that a chain ending in t gains; before[t]: its link before, bit 31: after a
  // break.
  constexpr uint32_t kNothing = UINT32_MAX, kBroken = 1u << 31;
  std::vector<float> best(links.size());
  std::vector<uint32_t> before(links.size());
  size_t leader = 0;  // the best chain that ended so far
  // What it gained, for the last occurrences: none before them can gain more.
  std::array<float, std::bit_ceil(kLookBack + 1)> most;
  for (size_t t = 0; t < links.size(); ++t) {
    best[t] = 1;
    before[t] = kNothing;
    if (t > 0 && best[leader] - kBreak > 0) {
      best[t] = 1 + best[leader] - kBreak;
      before[t] = static_cast<uint32_t>(leader) | kBroken;
    }
    // Nearest first: where the pattern holds, what lies before it cannot gain as much any more. Of
    // equals the farthest is taken.
    bool linked = false;
    for (size_t s = t, end = t > kLookBack ? t - kLookBack : 0; s-- > end;) {
      if (1 + most[s % most.size()] < best[t]) break;
      if (1 + best[s] < best[t]) continue;
      if (links[s].at == links[t].at && links[s].landmark >= links[t].landmark) continue;
      const float value = 1 + best[s] - cost(links[s], links[t]);
      if (value < best[t] || (value == best[t] && !linked)) continue;
      best[t] = value, before[t] = static_cast<uint32_t>(s), linked = true;
    }
    if (best[t] >= best[leader]) leader = t;
    most[t % most.size()] = best[leader];
  }
  for (uint32_t t = static_cast<uint32_t>(leader); t != kNothing;) {
    Link link = links[t];
    const uint32_t previous = before[t];
    link.opens = previous == kNothing || links[previous & ~kBroken].landmark >= link.landmark ||
                 ((previous & kBroken) != 0 && cost.far(links[previous & ~kBroken], link));
    chain.push_back(link);
    t = previous == kNothing ? kNothing : previous & ~kBroken;
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

void thin(LevelModel& level, size_t links) {
  const size_t kept = std::max<size_t>(2, links / std::max<size_t>(1, level.count));
  if (level.landmarks.size() <= kept) return;
  std::vector<Landmark> some;
  for (size_t i = 0; i < kept; ++i)
    some.push_back(std::move(level.landmarks[i * level.landmarks.size() / kept]));
  level.landmarks = std::move(some);
}

void rotate(LevelModel& level, double shift) {
  const auto first =
      std::find_if(level.landmarks.begin(), level.landmarks.end(),
                   [&](const Landmark& landmark) { return landmark.offset >= shift; });
  for (auto landmark = level.landmarks.begin(); landmark != first; ++landmark)
    landmark->offset += level.length;
  for (Landmark& landmark : level.landmarks) landmark.offset -= shift;
  std::rotate(level.landmarks.begin(), first, level.landmarks.end());
}

}  // namespace deepprof
