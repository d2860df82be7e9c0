#include "analysis/online/online_miner.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace deepprof {
namespace {

uint32_t stream_with_most_ops(std::span<const Event> ops) {
  std::unordered_map<uint32_t, size_t> count;
  for (const Event& op : ops) ++count[op.track];
  const auto most = std::max_element(count.begin(), count.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second < b.second : a.first > b.first;
  });
  return most == count.end() ? 0 : most->first;
}

}  // namespace

OnlineMiner::OnlineMiner(uint16_t device, OfflineMiner offline, const OnlineOptions& options)
    : offline_(std::move(offline)), options_(options), follower_(pattern_), recorder_(device) {}

void OnlineMiner::add(std::span<const Event> ops) {
  if (collecting_) {
    waiting_.insert(waiting_.end(), ops.begin(), ops.end());
    if (waiting_.size() < options_.prefix_ops) return;
    mine();
    follow_waiting(false);
  } else {
    pause_ops_ -= std::min<uint64_t>(pause_ops_, ops.size());
    while (!ops.empty()) ops = follow_block(ops);
  }
  collecting_ = recorder_.explained_share() < options_.explained_share && pause_ops_ == 0;
}

void OnlineMiner::finish() {
  if (collecting_) mine();
  follow_waiting(true);
  recorder_.finish();
}

void OnlineMiner::mine() {
  constexpr uint64_t kMaxPause = 64;  // prefixes
  collecting_ = false;
  const std::vector<OpRange> tiles = offline_(waiting_);
  const uint32_t known = pattern_.size();
  if (!tiles.empty()) {
    std::vector<uint32_t> symbols(waiting_.size());
    std::transform(waiting_.begin(), waiting_.end(), symbols.begin(),
                   [](const Event& op) { return op.name; });
    pattern_ = make_pattern(symbols, tiles, pattern_);
  }
  // A job without structure must not be mined all the time.
  const uint64_t doubled = std::clamp<uint64_t>(2 * last_pause_ops_, options_.prefix_ops,
                                                kMaxPause * options_.prefix_ops);
  last_pause_ops_ = pattern_.size() > known ? 0 : doubled;
  pause_ops_ = last_pause_ops_;
  if (known == 0) recorder_.set_main_stream(stream_with_most_ops(waiting_));
  recorder_.set_pattern(pattern_);
  recorder_.forget_explained_share();
  ++recorder_.statistics().minings;
}

size_t OnlineMiner::follow(std::span<const Event> ops, bool last) {
  names_.resize(ops.size());
  for (size_t i = 0; i < ops.size(); ++i) names_[i] = ops[i].name;
  recorder_.look_at(ops);
  return follower_.follow(names_, last, recorder_);
}

void OnlineMiner::follow_waiting(bool last) {
  const size_t done = follow(waiting_, last);
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(done));
}

// Follows a block of ops where they lie, but for the few around its ends that have to wait for
// more. Returns the ops behind it.
std::span<const Event> OnlineMiner::follow_block(std::span<const Event> ops) {
  constexpr size_t kBlock = 4096;  // stays in the cache
  const std::span<const Event> seam = ops.first(std::min(ops.size(), 2 * Follower::kLookAhead));
  waiting_.insert(waiting_.end(), seam.begin(), seam.end());
  follow_waiting(false);
  if (seam.size() == ops.size()) return {};
  // Enough was given that only ops of this block wait: they lie in front of the ops behind the
  // seam.
  ops = ops.subspan(seam.size() - waiting_.size());
  waiting_.clear();
  const size_t size = std::min(ops.size(), kBlock);
  const size_t done = follow(ops.first(size), false);
  waiting_.assign(ops.begin() + static_cast<ptrdiff_t>(done),
                  ops.begin() + static_cast<ptrdiff_t>(size));
  return ops.subspan(size);
}

}  // namespace deepprof
