#include "analysis/online/online_miner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/online/trial.h"
#include "analysis/pattern/consensus.h"

namespace deepprof {
namespace {

constexpr size_t kMostPrefixes = 4;  // that are held, a search collects, or a check looks at
constexpr uint64_t kMostPause = 64;  // prefixes

std::vector<uint32_t> symbols_of(std::span<const Event> ops) {
  std::vector<uint32_t> symbols(ops.size());
  std::transform(ops.begin(), ops.end(), symbols.begin(), [](const Event& op) { return op.name; });
  return symbols;
}

}  // namespace

OnlineMiner::OnlineMiner(uint16_t device, OfflineMiner offline, const OnlineOptions& options)
    : device_(device),
      offline_(std::move(offline)),
      options_(options),
      next_look_ops_(kMostPrefixes * options.prefix_ops),
      follower_(pattern_),
      recorder_(device),
      check_(kMostPrefixes * options.prefix_ops),
      wanted_ops_(options.prefix_ops) {}

void OnlineMiner::add(std::span<const Event> ops) {
  constexpr size_t kAtOnce = 8'192;  // before it is asked whether the pattern has changed
  while (!ops.empty()) {
    std::span<const Event> part = ops.first(std::min(ops.size(), kAtOnce));
    if (holding_) {
      part = part.first(std::min(part.size(), next_look_ops_ - held_.size()));
      held_.reserve(next_look_ops_);  // address space; its pages are had as they are filled
      held_.insert(held_.end(), part.begin(), part.end());
    }
    take(part);
    ops = ops.subspan(part.size());
    if (holding_ && held_.size() == next_look_ops_) count_beginning(false);
    if (!holding_ && !searching_ && pause_ops_ == 0 && has_changed()) search_again();
  }
  count();
}

void OnlineMiner::look_early() {
  if (!holding_ || statistics().minings > 0 || held_.size() < options_.prefix_ops) return;
  count_beginning(false);
  count();
}

void OnlineMiner::take(std::span<const Event> ops) {
  if (holding_ && statistics().minings == 0) {
    given_ops_ += ops.size();
    return;
  }
  while (!ops.empty()) {
    if (!searching_) {
      ops = follow_until_check(ops);
      continue;
    }
    const size_t taken = std::min(ops.size(), wanted_ops_ - waiting_.size());
    waiting_.insert(waiting_.end(), ops.begin(), ops.begin() + static_cast<ptrdiff_t>(taken));
    given_ops_ += taken;
    ops = ops.subspan(taken);
    if (waiting_.size() == wanted_ops_) search(false);
  }
}

// What has been counted so far is forgotten: the answer on all that is held is a better one.
void OnlineMiner::count_beginning(bool last) {
  MinedStretch found = offline_(held_);
  if (!last) trim(found, held_.size(), false);
  const uint64_t minings = statistics().minings + 1;
  recorder_ = RunRecorder(device_);
  statistics().minings = minings;
  pattern_ = {};
  settled_ = 0;
  epoch_ = {};
  check_.cancel();
  ops_each_ = 0;
  varies_ = false;
  uncounted_.clear();
  context_ops_ = 0;
  last_pause_ops_ = 0;
  holding_ = !last && held_.size() < next_look_ops_;
  waiting_ = holding_ ? held_ : std::exchange(held_, {});
  settle(std::move(found), true, last);
  if (!holding_) waiting_.shrink_to_fit();
  else if (searching_) wanted_ops_ = SIZE_MAX;  // the next look at all that is held comes first
}

// Either most ops do not belong to the pattern, or iterations of a kind come that it lacks.
bool OnlineMiner::has_changed() {
  constexpr double kManyOdd = 2.8;
  return recorder_.explained_share() < options_.explained_share ||
         recorder_.odd_iterations() >= kManyOdd;
}

// What has shown that it changed is mined together with what comes.
void OnlineMiner::search_again() {
  const std::span<const Event> doubtful = doubtful_.ops();
  doubts_ = uncounted_.empty();  // or they are counted as such
  const uint64_t before = epoch_.iterations(doubtful_.counted_before());
  // One more may have been under way before than there is now.
  doubted_ = std::max(epoch_.iterations(recorder_.counted()), before) - before;
  context_ops_ = doubtful.size();
  waiting_.insert(waiting_.begin(), doubtful.begin(), doubtful.end());
  doubtful_.clear();
  searching_ = true;
  wanted_ops_ = std::max(waiting_.size() + 1, context_ops_ + options_.prefix_ops);
  earlier_ops_ = 0;
  check_.cancel();
}

void OnlineMiner::finish(bool mine_again) {
  if (holding_ && !held_.empty() && (mine_again || statistics().minings == 0)) {
    count_beginning(true);
  } else if (searching_) {
    search(true);
  } else if (mine_again && check_.is_doubted()) {
    check();
  }
  follow_waiting(true);
  recorder_.finish();
  count();
}

uint64_t OnlineMiner::Epoch::iterations(uint64_t counted) const {
  if (verdict != Verdict::iteration) return 0;
  const auto followed =
      static_cast<double>(static_cast<int64_t>(counted - counted_before) + missed);
  return static_cast<uint64_t>(std::llround(std::max(0.0, followed * worth)));
}

void OnlineMiner::count() {
  statistics().counted =
      settled_ + statistics().varying.count + epoch_.iterations(recorder_.counted());
}

void OnlineMiner::close_epoch() {
  settled_ += epoch_.iterations(recorder_.counted());
  epoch_ = {};
  epoch_.counted_before = recorder_.counted();
}

void OnlineMiner::believe(const MinedStretch& found) {
  RunStatistics& run = statistics();
  const bool better = found.verdict != run.verdict ? found.verdict > run.verdict
                                                   : found.confidence >= run.confidence();
  if (!better) return;
  run.verdict = found.verdict;
  run.set_confidence(found.confidence);
  run.decided_by = found.decided_by;
}

// Collects until two answers agree, and following counts what they do.
void OnlineMiner::search(bool last) {
  MinedStretch found = offline_(waiting_);
  if (!last) trim(found, waiting_.size(), false);
  ++statistics().minings;
  const bool enough = last || waiting_.size() >= kMostPrefixes * options_.prefix_ops ||
                      (found.verdict == Verdict::none && last_pause_ops_ > 0);
  const bool confirmed = is_confirmed(found);
  earlier_ops_ = waiting_.size();
  earlier_tiles_ = found.verdict == Verdict::iteration ? found.tiles.size() : 0;
  if ((enough || confirmed) && settle(found, enough, last)) return;
  wanted_ops_ = std::min(2 * waiting_.size(), kMostPrefixes * options_.prefix_ops);
}

bool OnlineMiner::is_as_before(const MinedStretch& found) const {
  const double ratio = ops_each_ > 0 ? ops_each(found) / ops_each_ : 0;
  return found.verdict == Verdict::iteration && ratio > .67 && ratio < 1.5;
}

// By what was known before, or by the answer for the first half.
bool OnlineMiner::is_confirmed(const MinedStretch& found) const {
  if (found.verdict != Verdict::iteration) return false;
  if (is_as_before(found)) return true;
  const auto in_first_half =
      std::count_if(found.tiles.begin(), found.tiles.end(),
                    [&](const OpRange& tile) { return tile.last <= earlier_ops_; });
  return earlier_tiles_ > 0 && is_close(static_cast<uint64_t>(in_first_half), earlier_tiles_);
}

// False: not yet, more ops are needed.
bool OnlineMiner::settle(MinedStretch found, bool enough, bool last) {
  const bool nothing = found.verdict == Verdict::none || found.tiles.empty();
  Consensus made;
  bool steady = false;
  if (!nothing) {
    made = make_pattern(symbols_of(waiting_), found.tiles, pattern_);
    steady = is_steady(made, waiting_, found);
  }
  const bool varies = varies_ && is_as_before(found);
  if (!steady && !varies && !enough) return false;

  if (statistics().ops == 0) recorder_.time_on_busiest_stream(waiting_);
  const bool guess = last && ops_each_ > 0 && !is_as_before(found);
  const uint64_t in_context = leave_out_context(found.tiles);
  if (doubts_ && found.verdict == Verdict::iteration && in_context > doubted_)
    settled_ += in_context - doubted_;
  doubts_ = false;
  earlier_ops_ = earlier_tiles_ = 0;
  if (guess && varies_) {
    count_by_length();
  } else if (found.tiles.empty() || (!steady && found.verdict != Verdict::iteration)) {
    give_up();
  } else {
    believe(found);
    ops_each_ = ops_each(found);
    varies_ = !steady;
    if (steady) follow_along(std::move(made.pattern), found);
    else count_stretch(found, last);
  }
  doubtful_.clear();
  return true;
}

// What was counted before helped to find the rest, and is now done with. Returns how many
// iterations lie there.
size_t OnlineMiner::leave_out_context(std::vector<OpRange>& tiles) {
  const auto context = static_cast<uint32_t>(context_ops_);
  const size_t left_out = std::erase_if(tiles, [&](const OpRange& tile) {
    return tile.first / 2 + tile.last / 2 < context;  // most of it
  });
  for (OpRange& tile : tiles) {
    tile.first = std::max(tile.first, context) - context;
    tile.last -= context;
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + context);
  context_ops_ = 0;
  return left_out;
}

void OnlineMiner::give_up() {
  keep_uncounted(waiting_);
  pause();
  searching_ = false;
  follower_ = Follower(pattern_);
  recorder_.forget_explained_share();
  follow_waiting(false);
}

// A job in which nothing new is found must not be mined all the time.
void OnlineMiner::pause() {
  last_pause_ops_ = std::clamp<uint64_t>(2 * last_pause_ops_, options_.prefix_ops,
                                         kMostPause * options_.prefix_ops);
  pause_ops_ = last_pause_ops_;
}

void OnlineMiner::follow_along(Pattern pattern, const MinedStretch& found) {
  close_epoch();
  const bool nothing_new = pattern.size() == pattern_.size();
  last_pause_ops_ = nothing_new ? last_pause_ops_ : 0;
  if (nothing_new) pause();
  pattern_ = std::move(pattern);
  recorder_.set_pattern(pattern_);
  recorder_.forget_explained_share();
  follower_ = Follower(pattern_);
  searching_ = false;
  // Exactly the mined iterations first, to learn how many of them following does not count. Where
  // it finds more that are whole, it is right.
  const uint64_t whole_before = recorder_.counted_whole();
  const std::span<const Event> mined = std::span(waiting_).first(found.tiles.back().last);
  follow(mined, true);
  epoch_.verdict = found.verdict;
  if (found.verdict == Verdict::iteration) count_uncounted();
  else keep_uncounted(waiting_);
  const uint64_t whole = recorder_.counted_whole() - whole_before;
  epoch_.missed = static_cast<int64_t>(std::max<uint64_t>(found.tiles.size(), whole)) -
                  static_cast<int64_t>(recorder_.counted() - epoch_.counted_before);
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(mined.size()));
  follower_.start_with(0);
  follow_waiting(false);
  check_.plan(2 * given_ops_);
}

// In case iterations are found later.
void OnlineMiner::keep_uncounted(std::span<const Event> ops) {
  const size_t most = 2 * kMostPrefixes * options_.prefix_ops;
  if (statistics().verdict == Verdict::iteration || uncounted_.size() >= most) return;
  uncounted_.insert(uncounted_.end(), ops.begin(), ops.end());
}

// What was seen before the first iterations were found.
void OnlineMiner::count_uncounted() {
  if (!uncounted_.empty()) settled_ += try_out(pattern_, uncounted_).counted;
  uncounted_ = {};
}

// Iterations that vary too much for a pattern: these are counted as mined, and so will be the next.
void OnlineMiner::count_stretch(const MinedStretch& found, bool last) {
  close_epoch();
  uncounted_ = {};
  last_pause_ops_ = 0;
  recorder_.count_mined(waiting_, found.tiles);
  size_t done = found.tiles.back().last;
  const size_t most_left = last ? 0 : options_.prefix_ops;
  if (const size_t left = waiting_.size() - done; left > most_left) {
    recorder_.unexplained(done, left - most_left);
    done += left - most_left;
  }
  context_ops_ = last ? 0 : std::min(done, options_.prefix_ops);
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(done - context_ops_));
  searching_ = !last;
  wanted_ops_ = context_ops_ + 2 * options_.prefix_ops;
}

// The end of a run that is mined stretch by stretch, too short to be recognised by itself.
void OnlineMiner::count_by_length() {
  close_epoch();
  std::vector<OpRange> tiles;
  const auto each = static_cast<uint32_t>(ops_each_);
  for (uint32_t at = 0; at + each <= waiting_.size(); at += each) tiles.push_back({at, at + each});
  recorder_.count_mined(waiting_, tiles);
  waiting_.erase(waiting_.begin(), waiting_.begin() + (tiles.empty() ? 0 : tiles.back().last));
  searching_ = false;
}

std::span<const Event> OnlineMiner::follow_until_check(std::span<const Event> ops) {
  const auto part = ops.first(std::min<uint64_t>(ops.size(), check_.most_next(given_ops_)));
  follow_part(part);
  keep_uncounted(part);
  given_ops_ += part.size();
  pause_ops_ -= std::min<uint64_t>(pause_ops_, part.size());
  if (check_.take(part, given_ops_)) check();
  return ops.subspan(part.size());
}

void OnlineMiner::check() {
  MinedStretch found = offline_(check_.ops());
  ++statistics().minings;
  switch (check_.judge(found, {pattern_, epoch_.worth, statistics().confidence()})) {
    case LevelCheck::Outcome::longer: return;
    case LevelCheck::Outcome::confirmed:
      believe(found);
      epoch_.verdict = Verdict::iteration;
      uncounted_ = {};  // they were followed, too
      break;
    case LevelCheck::Outcome::other_level: reconsider(found, check_.ratio()); break;
    case LevelCheck::Outcome::nothing: break;
  }
  check_.plan(2 * given_ops_);
}

// The job's iterations are another level than the one followed: `ratio` of them for each one
// counted.
void OnlineMiner::reconsider(const MinedStretch& found, double ratio) {
  epoch_.verdict = Verdict::iteration;
  uncounted_ = {};  // they were followed, too
  epoch_.worth *= ratio;
  recorder_.revalue(ratio);
  RunStatistics& run = statistics();
  run.verdict = found.verdict;
  run.set_confidence(found.confidence);
  run.decided_by = found.decided_by;
  ops_each_ = ops_each(found);
  Consensus made = make_pattern(symbols_of(check_.ops()), found.tiles, Pattern());
  if (!recorder_.may_start_anew() || !is_steady(made, check_.ops(), found)) return;
  close_epoch();
  epoch_.verdict = Verdict::iteration;
  pattern_ = std::move(made.pattern);
  recorder_.start_anew(pattern_);
  follower_ = Follower(pattern_);
  doubtful_.clear();  // they are counted along the pattern before
}

// Returns how many have been dealt with: all, or all but fewer than kLookAhead.
size_t OnlineMiner::follow(std::span<const Event> ops, bool last) {
  constexpr size_t kBlock = 4096;  // stays in the cache
  for (size_t done = 0;;) {
    const auto block = ops.subspan(done, std::min(kBlock, ops.size() - done));
    const bool at_end = done + block.size() == ops.size();
    const uint64_t counted_before = recorder_.counted();
    recorder_.look_at(block);
    const size_t followed = follower_.follow(recorder_.names(), last && at_end, recorder_);
    doubtful_.add(block.first(followed), recorder_.explained_here(), counted_before);
    done += followed;
    if (at_end) return done;
  }
}

void OnlineMiner::follow_waiting(bool last) {
  const size_t done = follow(waiting_, last);
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(done));
}

// Follows ops where they lie, but for the few around their ends that have to wait for more.
void OnlineMiner::follow_part(std::span<const Event> ops) {
  const std::span<const Event> seam = ops.first(std::min(ops.size(), 2 * Follower::kLookAhead));
  waiting_.insert(waiting_.end(), seam.begin(), seam.end());
  follow_waiting(false);
  if (seam.size() == ops.size()) return;
  // Enough was given that only ops of this part wait: they lie in front of the ops behind the seam.
  ops = ops.subspan(seam.size() - waiting_.size());
  ops = ops.subspan(follow(ops, false));
  waiting_.assign(ops.begin(), ops.end());
}

}  // namespace deepprof
