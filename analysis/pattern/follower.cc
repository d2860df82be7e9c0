#include "analysis/pattern/follower.h"

#include "analysis/pattern/agreement.h"

namespace deepprof {

void Follower::start_with(uint32_t iteration) {
  enter({iteration, 0}, 1);
  lost_ = false;
}

void Follower::enter(PatternPlace place, int32_t laps) {
  place_ = place;
  lap_ += laps;
}

size_t Follower::run_length(Symbols rest) const {
  const size_t most = pattern_->length(place_.iteration) - place_.position;
  return agreement(rest, pattern_->symbols(place_.iteration) + place_.position, most);
}

// The place is in what can be read behind the iteration's end: there it is the successor's.
void Follower::pass_end() {
  while (place_.position > pattern_->length(place_.iteration)) {
    place_.position -= pattern_->length(place_.iteration);
    place_.iteration = pattern_->successor(place_.iteration);
    ++lap_;
  }
}

// The iteration has ended: the next is its usual successor, or the one whose beginning agrees best.
void Follower::choose_next(Symbols rest) {
  constexpr size_t kBeginning = 16;
  uint32_t next = pattern_->successor(place_.iteration);
  size_t best = agreement(rest, pattern_->symbols(next), kBeginning);
  for (uint32_t i = 0; best < kConfirm && i < pattern_->size(); ++i) {
    const size_t same = agreement(rest, pattern_->symbols(i), kBeginning);
    if (same > best) {
      best = same;
      next = i;
    }
  }
  enter({next, 0}, 1);
}

size_t Follower::follow(Symbols symbols, bool last, FollowSink& sink) {
  const size_t n = symbols.size();
  const size_t stop = last ? n : n - std::min(n, kLookAhead - 1);
  if (pattern_->empty()) {
    if (stop > 0) sink.unexplained(0, stop);
    return stop;
  }
  size_t at = 0;
  while (at < stop) {
    const size_t run = lost_ ? 0 : run_length(symbols.subspan(at));
    if (run > 0) {
      if (lap_ > told_lap_) {
        sink.begins(at, place_.iteration);
        told_lap_ = lap_;
      }
      sink.matched(at, run, place_);
      unexplained_ = 0;
      at += run;
      place_.position += static_cast<uint32_t>(run);
    }
    if (at >= stop) break;
    if (!lost_ && place_.position == pattern_->length(place_.iteration)) {
      choose_next(symbols.subspan(at));
      if (symbols[at] == *pattern_->symbols(place_.iteration)) continue;
    }
    at = bridge(symbols, at, sink);
  }
  return at;
}

size_t Follower::skip(size_t at, Edit edit, FollowSink& sink) {
  sink.unexplained(at, edit.skip_ops);
  place_.position += edit.skip_places;
  pass_end();
  return at + edit.skip_ops;
}

// Another iteration that is the same up to here and goes on as the stream does; the current one:
// none.
uint32_t Follower::same_beginning(Symbols rest) const {
  if (rest.size() < kSureConfirm) return place_.iteration;
  for (uint32_t i = 0; i < pattern_->size(); ++i) {
    if (i == place_.iteration || pattern_->common_beginning(i, place_.iteration) < place_.position)
      continue;
    if (pattern_->length(i) <= place_.position) continue;
    if (agree<kSureConfirm>(rest.data(), pattern_->symbols(i) + place_.position)) return i;
  }
  return place_.iteration;
}

size_t Follower::bridge(Symbols symbols, size_t at, FollowSink& sink) {
  const Symbols rest = symbols.subspan(at);
  if (!lost_) {
    const uint32_t* expected = pattern_->symbols(place_.iteration) + place_.position;
    if (const Edit edit = single_edit(rest, expected)) return skip(at, edit, sink);
    if (const uint32_t other = same_beginning(rest); other != place_.iteration) {
      place_.iteration = other;
      if (lap_ == told_lap_) sink.turns_into(other);
      return at;
    }
    if (const Edit edit = short_edit(rest, expected)) return skip(at, edit, sink);
    if (const Hit hit = find_near(rest); hit.distance != kFar) return go_to(hit, at, sink);
  }
  const Hit hit = find_chain(rest);
  return hit.distance == kFar ? give_up(symbols, at, sink) : go_to(hit, at, sink);
}

size_t Follower::give_up(Symbols symbols, size_t at, FollowSink& sink) {
  const size_t count = std::min<size_t>(kStep, symbols.size() - at);
  sink.unexplained(at, count);
  unexplained_ = std::min<uint32_t>(unexplained_ + static_cast<uint32_t>(count), Pattern::kMaxOps);
  lost_ = true;
  return at + count;
}

size_t Follower::go_to(const Hit& hit, size_t at, FollowSink& sink) {
  if (hit.offset > 0) sink.unexplained(at, hit.offset);
  enter(hit.place, hit.laps);
  lost_ = false;
  return at + hit.offset;
}

// How a place that the stream shows `offset` ops from here relates to the one expected there: it is
// meant in the lap in which it is nearest. Where nothing is expected any more, an iteration begins
// anew.
Follower::Hit Follower::locate(uint32_t offset, PatternPlace place) const {
  const auto length = static_cast<int64_t>(pattern_->length(place_.iteration));
  const bool nothing_expected = 2 * static_cast<int64_t>(unexplained_) >= length || told_lap_ < 0;
  const int64_t expected = offset + (nothing_expected ? 0 : static_cast<int64_t>(place_.position));
  if (place.iteration != place_.iteration) {
    const int64_t at = length + place.position;
    return {offset, place, 1, at, nothing_expected ? 0 : at - expected};
  }
  int64_t laps = (expected - place.position) / length - (expected < place.position);
  const int64_t before = laps * length + place.position, behind = before + length;
  if (nothing_expected) return {offset, place, 1, before, 0};
  bool back = 2 * (expected - before) < behind - expected;  // backwards counts double
  // Far back to the beginning: the iteration was a short one of a kind that the pattern lacks.
  if (place.position <= kEditWindow && expected - before > kNearPlace) back = false;
  laps += !back;
  return {offset, place, static_cast<int32_t>(laps), back ? before : behind,
          back ? 2 * (expected - before) : behind - expected};
}

// The nearest run of the current iteration, or one that is seen at the beginning of iterations
// only: what follows that one is a first layer, though it may be like the next of this iteration.
Follower::Hit Follower::find_near(Symbols rest) const {
  for (uint32_t offset = 0; offset < kNear && offset + Pattern::kRun <= rest.size(); ++offset) {
    Hit nearest, beginning;
    bool elsewhere = false;
    pattern_->find_run(rest.data() + offset, [&](PatternPlace place) {
      elsewhere |= place.position != 0;
      if (place.iteration != place_.iteration && place.position != 0) return;
      const Hit hit = locate(offset, place);
      if (place.position == 0 && hit.distance < beginning.distance) beginning = hit;
      if (place.iteration == place_.iteration && hit.distance <= kNearPlace &&
          hit.distance < nearest.distance)
        nearest = hit;
    });
    if (nearest.distance != kFar) return nearest;
    if (!elsewhere && beginning.distance != kFar) return beginning;
  }
  return {};
}

// The chain of runs that explains most of the next ops, where they may be a few ops apart from each
// other's diagonal. A chain far from the expected place needs a little more support than one near
// it.
Follower::Hit Follower::find_chain(Symbols rest) const {
  constexpr uint32_t kPlacesEach = 3, kMaxHits = kWindow * kPlacesEach, kLookBack = 24;
  constexpr int64_t kDrift = 12;
  constexpr double kEnough = 3, kFarCost = 1.5;
  std::array<Hit, kMaxHits> hits;
  std::array<double, kMaxHits> score;
  std::array<uint32_t, kMaxHits> first;
  uint32_t count = 0, best = 0;
  const double length = pattern_->length(place_.iteration);
  for (uint32_t offset = 0; offset < kWindow && offset + Pattern::kRun <= rest.size(); ++offset) {
    const uint32_t begin = count;  // keeps the nearest few, by insertion
    pattern_->find_run(rest.data() + offset, [&](PatternPlace place) {
      Hit hit = locate(offset, place);
      for (uint32_t k = begin; k < count; ++k)
        if (hit.distance <= hits[k].distance) std::swap(hit, hits[k]);
      if (count < begin + kPlacesEach) hits[count++] = hit;
    });
    for (uint32_t k = begin; k < count; ++k) {
      score[k] = 1 - kFarCost * std::min(1.0, static_cast<double>(hits[k].distance) / length);
      first[k] = k;
      for (uint32_t j = k - std::min(k, kLookBack); j < begin; ++j) {
        if (hits[j].place.iteration != hits[k].place.iteration || hits[j].at >= hits[k].at)
          continue;
        const int64_t drift = (hits[k].at - hits[j].at) - (hits[k].offset - hits[j].offset);
        if (drift > kDrift || drift < -kDrift || score[j] + 1 <= score[k]) continue;
        score[k] = score[j] + 1;
        first[k] = first[j];
      }
      if (score[k] > score[best]) best = k;
    }
  }
  return count > 0 && score[best] >= kEnough ? hits[first[best]] : Hit{};
}

}  // namespace deepprof
