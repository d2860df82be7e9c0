#include "libdeepprof/cupti/torch_profiler.h"

#include "test/cupti/mapped_torch.h"
#include "test/support/catch.h"

namespace deepprof::cupti {
namespace {

constexpr int64_t kSecond_ns = 1'000'000'000, kTick_ns = kSecond_ns / 5;

bool on = false;
bool is_on() { return on; }
TorchProfilerIsOn find() { return &is_on; }

struct Run {
  void go_on(int64_t seconds) {
    for (const int64_t until = now_ns + seconds * kSecond_ns; now_ns < until;)
      torch.look(now_ns += kTick_ns);
  }
  void session(int64_t seconds) {
    on = true;
    go_on(seconds);
    on = false;
  }
  bool long_over(int64_t since_ns = 0) const { return torch.long_over(since_ns, now_ns); }

  TorchProfiler torch{&find};
  int64_t now_ns = kSecond_ns;
};

}  // namespace

TEST_CASE("a session has been over for long a minute after its end, not while it goes on") {
  Run run;
  run.go_on(100);
  CHECK_FALSE(run.long_over());  // there was none
  on = true;
  run.go_on(100);
  CHECK_FALSE(run.long_over());
  on = false;
  run.go_on(59);
  CHECK_FALSE(run.long_over());
  run.go_on(100);
  CHECK(run.long_over());
}

TEST_CASE("a long session is given as much time as it took to write down what it has") {
  Run run;
  run.session(300);
  run.go_on(299);
  CHECK_FALSE(run.long_over());
  run.go_on(2);
  CHECK(run.long_over());
}

TEST_CASE("a session that follows soon is waited for, too") {
  Run run;
  for (int i = 0; i < 5; ++i) {
    run.session(3);
    run.go_on(50);
    CHECK_FALSE(run.long_over());
  }
  run.go_on(11);
  CHECK(run.long_over());
}

TEST_CASE("a session from before the takeover, or one that was seen to before, says nothing") {
  Run run;
  run.session(3);
  run.go_on(100);
  CHECK_FALSE(run.long_over(run.now_ns - 99 * kSecond_ns));
  CHECK(run.long_over(run.now_ns - 101 * kSecond_ns));
  run.torch.forget();
  CHECK_FALSE(run.long_over());
}

TEST_CASE("where PyTorch is not mapped, or cannot tell, no session is on and none is over") {
  CHECK(find_torch_profiler() == nullptr);
  TorchProfiler none(&find_torch_profiler);
  none.look(1);
  CHECK_FALSE(none.can_tell());
  CHECK_FALSE(none.is_on());
  CHECK_FALSE(none.long_over(0, 1'000 * kSecond_ns));
}

TEST_CASE("PyTorch that is mapped later is found when it is looked for again") {
  TorchProfiler profiler(&find_torch_profiler);
  REQUIRE_FALSE(profiler.can_tell());
  const MappedTorch torch;
  profiler.look_for_it();
  CHECK(profiler.can_tell());
  CHECK_FALSE(profiler.is_on());
}

}  // namespace deepprof::cupti
