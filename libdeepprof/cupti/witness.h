// Notices that another user of CUPTI in this process has taken our buffer callbacks or switched our
// kinds off.
//
// In CUPTI's v1 interface both are global: torch.profiler replaces the callbacks when it starts and
// disables the kinds when it stops, and nothing tells us. So when no buffer has moved for a while,
// the control thread makes one cheap driver call that is recorded like any other
// (docs/decisions/0004-takeover-witness.md). If CUPTI still works for us it must ask us for a
// buffer to put that record into. Where all threads share one buffer, CUPTI may have room in one
// that waits for a long kernel: then it takes as many calls as fill a buffer, which are made
// seldom.
//
// This class only decides; it calls nothing. Control thread.
#pragma once

#include <cstdint>

namespace deepprof::cupti {

class Witness {
 public:
  enum class Action {
    none,
    ask,         // make the witness call now, then say answered()
    fill,        // make as many as fill a buffer, then say answered()
    taken_over,  // our callbacks are gone: count a spell
    rearm,       // register and enable again
    regained,    // records come again: the spell is over
  };

  // `rearm_after_ns`: how long another tool is left alone before we take CUPTI back, done or not;
  // 0: until it is known to be done.
  // `per_thread_buffers`: each thread fills a buffer of its own (the default since CUDA 13.0).
  // After a takeover that is not relied on: torch.profiler switches it off when it stops.
  Witness(int64_t rearm_after_ns, bool per_thread_buffers)
      : rearm_after_ns_(rearm_after_ns), per_thread_buffers_(per_thread_buffers) {}

  // Once a timer tick, after the flush. `movements`: buffers asked for and returned so far; `held`:
  // buffers that CUPTI has not returned.
  Action tick(int64_t now_ns, uint64_t movements, uint32_t held);

  // After Action::ask or Action::fill: the movements right after the call.
  void answered(uint64_t movements_after);

  // A record of the witness call has come back: the call is recorded in this process. Until that or
  // an answer is seen, silence means nothing.
  void seen_to_work() { proven_ = true; }

  // Another tool has taken CUPTI over, as is known from elsewhere.
  void lose(int64_t now_ns);

  // Monotonic time at which a buffer last moved: the beginning of a spell.
  int64_t last_heard_ns() const { return last_heard_ns_; }
  bool taken() const { return state_ == State::taken; }
  bool proven() const { return proven_; }

  // One silent call may fall between another tool's flush and our own; a few do not.
  static constexpr int kUnansweredCalls = 3;
  // Whether CUPTI, holding so many buffers, must ask for one to put a single call into.
  bool one_call_shows(uint32_t held) const { return per_thread_buffers_ || held == 0; }

 private:
  enum class State { listening, taken };
  static constexpr int64_t kFirstFillWait_ns = 1'000'000'000;
  Action hear(int64_t now_ns);
  Action listen(int64_t now_ns);

  const int64_t rearm_after_ns_;
  bool per_thread_buffers_;
  State state_ = State::listening;
  bool proven_ = false;
  uint64_t movements_ = 0;
  uint32_t held_ = 0;
  int64_t last_heard_ns_ = 0;
  int64_t rearm_at_ns_ = 0;
  int unanswered_ = 0;
  bool filling_ = false;  // the last question was Action::fill
  int64_t fill_wait_ns_ = kFirstFillWait_ns;
  int ticks_since_fill_ = 0;
};

}  // namespace deepprof::cupti
