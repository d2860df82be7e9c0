#include "libdeepprof/cupti/cupti_clock.h"

#include <cstdlib>

#include "libdeepprof/capture/clock.h"
#include "test/support/catch.h"

namespace deepprof::cupti {
namespace {

// A CUPTI whose clock is the wall clock and so much, or what it was told to call.
int64_t ahead_ns = 0;
bool answers = true, takes_another = true;
TimestampCallback told = nullptr;

ResultCode get_timestamp(uint64_t* now) {
  if (!answers) return kNotInitialized;
  *now = told != nullptr ? told() : static_cast<uint64_t>(realtime_ns() + ahead_ns);
  return kSuccess;
}
ResultCode refuse_timestamp(uint64_t*) { return kNotCompatible; }
ResultCode get_timestamp_v2(Subscriber, uint64_t* now) { return get_timestamp(now); }
ResultCode register_timestamp_callback(TimestampCallback callback) {
  if (!takes_another) return kUnknownError;
  told = callback;
  return kSuccess;
}
uint64_t cycle_counter() { return static_cast<uint64_t>(monotonic_ns()) / 2 * 5; }

bool near(int64_t a_ns, int64_t b_ns) { return std::llabs(a_ns - b_ns) < 100'000'000; }

struct Bench {
  explicit Bench(int64_t ahead = 0) {
    ahead_ns = ahead;
    answers = takes_another = true;
    told = nullptr;
    library.api.get_timestamp = &get_timestamp;
    library.api.register_timestamp_callback = &register_timestamp_callback;
  }
  Library library;
  Activation activation;
};

}  // namespace

TEST_CASE("another tool's clock is not believed, and goes when CUPTI is taken back") {
  Bench bench;
  const CuptiClock clock(bench.library, bench.activation);
  CHECK(near(clock.now_ns(), realtime_ns()));
  told = &cycle_counter;
  CHECK(near(clock.now_ns(), realtime_ns()));
  CHECK(clock.restore());
  uint64_t now = 0;
  get_timestamp(&now);
  CHECK(near(static_cast<int64_t>(now), realtime_ns()));
}

TEST_CASE("a clock that was never anybody else's is left alone") {
  Bench bench;
  const CuptiClock clock(bench.library, bench.activation);
  CHECK(clock.restore());
  CHECK(told == nullptr);
}

TEST_CASE(
    "where CUPTI keeps another tool's clock, or the first was not the wall clock, it cannot be "
    "restored") {
  Bench keeps;
  const CuptiClock kept(keeps.library, keeps.activation);
  takes_another = false;
  told = &cycle_counter;
  CHECK_FALSE(kept.restore());

  Bench raw(-3'600'000'000'000);  // as where CUPTI counts from the machine's start
  const CuptiClock counted(raw.library, raw.activation);
  CHECK(near(counted.now_ns(), realtime_ns() - 3'600'000'000'000));
  told = &cycle_counter;
  CHECK_FALSE(counted.restore());
  CHECK(near(counted.now_ns(), realtime_ns() - 3'600'000'000'000));
}

TEST_CASE("a CUPTI that did not tell its clock at the start is held to the wall clock") {
  Bench bench;
  answers = false;
  const CuptiClock clock(bench.library, bench.activation);
  CHECK(clock.now_ns() == 0);
  CHECK(clock.restore());
  answers = true;
  told = &cycle_counter;
  CHECK(clock.restore());
  CHECK(told != &cycle_counter);
}

TEST_CASE("beside v2 subscribers the v2 call is asked, since the older one is refused") {
  Bench bench;
  bench.library.api.get_timestamp = &refuse_timestamp;
  bench.library.api.get_timestamp_v2 = &get_timestamp_v2;
  bench.activation.v2 = true;
  CHECK(near(CuptiClock(bench.library, bench.activation).now_ns(), realtime_ns()));
}

}  // namespace deepprof::cupti
