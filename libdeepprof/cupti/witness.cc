#include "libdeepprof/cupti/witness.h"

namespace deepprof::cupti {
namespace {

constexpr int64_t kQuiet_ns = 400'000'000;
// One silent call may fall between another tool's flush and our own; a few do not.
constexpr int kUnansweredCalls = 3;

}  // namespace

Witness::Action Witness::tick(int64_t now_ns, uint64_t movements, uint32_t held) {
  held_ = held;
  if (movements != movements_) {
    movements_ = movements;
    last_heard_ns_ = now_ns;
    unanswered_ = 0;
    const bool was_taken = state_ == State::taken || shown_;
    state_ = State::listening;
    tried_ = shown_ = false;
    if (was_taken) return Action::regained;
    return proven_ ? Action::none : Action::ask;
  }
  if (movements_ == 0 || now_ns - last_heard_ns_ < kQuiet_ns) return Action::none;
  if (state_ == State::listening) return listen(now_ns);
  if (rearm_after_ns_ == 0 || now_ns < rearm_at_ns_) return Action::none;
  rearm_at_ns_ = now_ns + rearm_after_ns_;
  return Action::rearm;
}

Witness::Action Witness::listen(int64_t now_ns) {
  if (unanswered_ >= kUnansweredCalls) {
    state_ = State::taken;
    rearm_at_ns_ = now_ns + rearm_after_ns_;
    return Action::taken_over;
  }
  // Re-arming is harmless if CUPTI is still ours. If it is not, the next witness call is answered.
  const bool long_silence = rearm_after_ns_ > 0 && now_ns - last_heard_ns_ >= rearm_after_ns_;
  if (!silence_counts() && long_silence && now_ns >= rearm_at_ns_) {
    rearm_at_ns_ = now_ns + rearm_after_ns_;
    tried_ = true;
    return Action::rearm;
  }
  return Action::ask;
}

void Witness::answered(uint64_t movements_after) {
  if (movements_after != movements_) {
    proven_ = true;
    unanswered_ = 0;
    shown_ = tried_;
  } else if (proven_ && silence_counts()) {
    ++unanswered_;
  }
}

// Where all threads share one buffer, CUPTI may be filling one that it asked for before and that waits for a
// long kernel: it need not ask for another.
bool Witness::silence_counts() const { return per_thread_buffers_ || held_ == 0; }

}  // namespace deepprof::cupti
