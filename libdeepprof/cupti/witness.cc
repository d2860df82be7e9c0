#include "libdeepprof/cupti/witness.h"

#include <algorithm>

namespace deepprof::cupti {
namespace {

constexpr int64_t kQuiet_ns = 400'000'000;
// Some 26,000 calls are ten milliseconds of processor time: in a long silence they become rare.
constexpr int64_t kLongestFillWait_ns = 8'000'000'000;
// The buffer that they filled is asked for at once and returned by the next flush.
constexpr int kTicksOfOwnMovement = 2;

}  // namespace

Witness::Action Witness::tick(int64_t now_ns, uint64_t movements, uint32_t held) {
  held_ = held;
  ++ticks_since_fill_;
  if (movements != movements_) {
    movements_ = movements;
    return hear(now_ns);
  }
  if (movements_ == 0 || now_ns - last_heard_ns_ < kQuiet_ns) return Action::none;
  if (state_ == State::listening) return listen(now_ns);
  if (rearm_after_ns_ == 0 || now_ns < rearm_at_ns_) return Action::none;
  rearm_at_ns_ = now_ns + rearm_after_ns_;
  return Action::rearm;
}

Witness::Action Witness::hear(int64_t now_ns) {
  last_heard_ns_ = now_ns;
  unanswered_ = 0;
  // What moved because of our own question says nothing of the job.
  if (ticks_since_fill_ > kTicksOfOwnMovement) fill_wait_ns_ = kFirstFillWait_ns;
  const bool was_taken = state_ == State::taken;
  state_ = State::listening;
  if (was_taken) return Action::regained;
  filling_ = false;
  return proven_ ? Action::none : Action::ask;
}

Witness::Action Witness::listen(int64_t now_ns) {
  if (unanswered_ >= kUnansweredCalls) {
    lose(now_ns);
    return Action::taken_over;
  }
  filling_ = !one_call_shows(held_);
  if (!filling_) return Action::ask;
  if (now_ns - last_heard_ns_ < fill_wait_ns_) return Action::none;
  ticks_since_fill_ = 0;
  fill_wait_ns_ = std::min(2 * fill_wait_ns_, kLongestFillWait_ns);
  return Action::fill;
}

void Witness::lose(int64_t now_ns) {
  state_ = State::taken;
  per_thread_buffers_ = false;
  rearm_at_ns_ = now_ns + rearm_after_ns_;
}

void Witness::answered(uint64_t movements_after) {
  if (movements_after != movements_) {
    proven_ = true;
    unanswered_ = 0;
  } else if (proven_) {
    // A buffer's worth of calls cannot fall between two flushes: once is enough.
    unanswered_ += filling_ ? kUnansweredCalls : 1;
  }
}

}  // namespace deepprof::cupti
