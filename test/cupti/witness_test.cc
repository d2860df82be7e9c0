#include "libdeepprof/cupti/witness.h"

#include "test/support/catch.h"

namespace deepprof::cupti {
namespace {

using Action = Witness::Action;
constexpr int64_t kTick_ns = 200'000'000;

// A CUPTI whose buffers move or not, and a control thread that asks the witness at every tick.
class Run {
 public:
  explicit Run(int64_t rearm_after_ns = 10 * kTick_ns, bool per_thread = true)
      : witness(rearm_after_ns, per_thread) {}

  // One tick in which the job launched (buffers move if CUPTI works for us) or did not.
  Action tick(bool job_launches) {
    now_ns += kTick_ns;
    if (job_launches && ours) ++movements;
    const Action action = witness.tick(now_ns, movements, held);
    if (action == Action::ask || action == Action::fill) {
      if (ours && call_is_recorded && (!buffer_is_open || action == Action::fill)) ++movements;
      witness.answered(movements);
    }
    fills += action == Action::fill;
    return action;
  }
  int ticks_until(Action wanted, int most = 100) {
    for (int n = 1; n <= most; ++n) {
      if (tick(false) == wanted) return n;
    }
    return -1;
  }

  Witness witness;
  bool ours = true, call_is_recorded = true;
  bool buffer_is_open = false;  // shared buffers: CUPTI has one that waits for a long kernel
  uint32_t held = 0;
  uint64_t movements = 0;
  int64_t now_ns = 1;
  int fills = 0;
};

}  // namespace

TEST_CASE("a job that has not used the GPU yet is not asked about") {
  Run run;
  for (int i = 0; i < 50; ++i) CHECK(run.tick(false) == Action::none);
}

TEST_CASE("while buffers move nothing is asked once the call has been seen to work") {
  Run run;
  CHECK(run.tick(true) == Action::ask);
  for (int i = 0; i < 50; ++i) CHECK(run.tick(true) == Action::none);
}

TEST_CASE("an idle job that is still ours is never called taken over") {
  Run run;
  run.tick(true);
  CHECK(run.ticks_until(Action::taken_over) == -1);
}

TEST_CASE("a takeover is noticed within two seconds, from a busy job and from an idle one") {
  Run run;
  run.tick(true);
  run.tick(true);
  if (GENERATE(true, false)) run.tick(false);
  const int64_t heard = run.witness.last_heard_ns();
  run.ours = false;
  const int ticks = run.ticks_until(Action::taken_over);
  CHECK(ticks > 0);
  CHECK(ticks * kTick_ns <= 2'000'000'000);
  CHECK(run.witness.taken());
  CHECK(run.witness.last_heard_ns() == heard);
}

TEST_CASE(
    "taken over, CUPTI is taken back after the time given, again and again until records come") {
  Run run(10 * kTick_ns);
  run.tick(true);
  run.ours = false;
  REQUIRE(run.ticks_until(Action::taken_over) > 0);
  CHECK(run.ticks_until(Action::rearm) == 10);
  CHECK(run.ticks_until(Action::rearm) == 10);
  run.ours = true;
  CHECK(run.tick(true) == Action::regained);
  CHECK_FALSE(run.witness.taken());
  CHECK(run.tick(true) == Action::none);
}

TEST_CASE("with no time given CUPTI is never taken back") {
  Run run(0);
  run.tick(true);
  run.ours = false;
  REQUIRE(run.ticks_until(Action::taken_over) > 0);
  CHECK(run.ticks_until(Action::rearm) == -1);
}

TEST_CASE("where the call is not recorded silence proves nothing") {
  Run run;
  run.call_is_recorded = false;
  run.tick(true);
  run.ours = false;
  CHECK(run.ticks_until(Action::taken_over) == -1);
  CHECK_FALSE(run.witness.proven());
}

TEST_CASE(
    "with shared buffers a long kernel is not mistaken for a takeover, and is asked about ever "
    "more rarely") {
  Run run(10 * kTick_ns, false);
  run.tick(true);
  run.tick(true);
  run.held = 1;
  run.buffer_is_open = true;
  CHECK(run.ticks_until(Action::taken_over, 300) == -1);  // a minute
  CHECK(run.fills >= 3);
  CHECK(run.fills <= 10);
}

TEST_CASE("with shared buffers a takeover is noticed within two seconds of the last record") {
  Run run(10 * kTick_ns, false);
  run.tick(true);
  run.tick(true);
  run.held = 1;  // it went to the other tool
  run.ours = false;
  const int ticks = run.ticks_until(Action::taken_over);
  CHECK(ticks > 0);
  CHECK(ticks * kTick_ns <= 2'000'000'000);
  run.ours = true;
  CHECK(run.tick(true) == Action::regained);
}

TEST_CASE(
    "after a takeover buffers may be shared, whatever they were: a long kernel is not a second "
    "one") {
  Run run(10 * kTick_ns, true);
  run.tick(true);
  run.ours = false;
  REQUIRE(run.ticks_until(Action::taken_over) > 0);
  run.ours = true;
  REQUIRE(run.tick(true) == Action::regained);
  run.held = 1;
  run.buffer_is_open = true;
  CHECK(run.ticks_until(Action::taken_over) == -1);
}

TEST_CASE(
    "a record of the call that has come back makes silence count, though no call was ever "
    "answered") {
  Run run(10 * kTick_ns, false);
  run.buffer_is_open = true;
  run.held = 1;
  run.tick(true);
  run.witness.seen_to_work();
  run.ours = false;
  CHECK(run.ticks_until(Action::taken_over) > 0);
}

}  // namespace deepprof::cupti
