#include "analysis/findings/slow.h"

#include "test/support/catch.h"

using namespace deepprof;

namespace {

// Iterations of the given lengths, all compute but what is said to be host wait.
DeviceFigures iterations_of(const std::vector<int64_t>& durations,
                            const std::vector<int64_t>& outside = {}) {
  DeviceFigures device;
  for (uint32_t i = 0; i < durations.size(); ++i) {
    Account account;
    account.wall_ns = durations[i];
    account.idle_ns = i < outside.size() ? outside[i] : 0;
    account.exposed_ns[0] = account.wall_ns - account.idle_ns;
    CauseTimes idle{};
    idle[static_cast<size_t>(Cause::host_outside)] = account.idle_ns;
    device.iterations.push_back(account);
    device.iteration_idle.push_back(idle);
    device.counted.push_back(i);
  }
  return device;
}

}  // namespace

TEST_CASE("an iteration is slow when it is far out and more than a tenth over the median") {
  const auto slow = find_slow(iterations_of({100, 101, 99, 100, 102, 98, 100, 160}));
  REQUIRE(slow.slow.size() == 1);
  CHECK(slow.slow[0].iteration == 7);
  CHECK(slow.slow[0].excess_ns == 60);
  CHECK(slow.slow[0].z > 3.5);
  CHECK(slow.median_ns == 100);
}

TEST_CASE("far out but within a tenth of the median is not slow") {
  CHECK(find_slow(iterations_of({1000, 1001, 999, 1000, 1002, 998, 1000, 1090})).slow.empty());
}

TEST_CASE("a tenth over the median is not slow where the times scatter as much") {
  CHECK(find_slow(iterations_of({100, 140, 60, 120, 80, 130, 70, 145})).slow.empty());
}

TEST_CASE("where most times are equal the tenth alone decides") {
  const auto slow = find_slow(iterations_of({100, 100, 100, 100, 100, 110, 111}));
  REQUIRE(slow.slow.size() == 1);
  CHECK(slow.slow[0].iteration == 6);
  CHECK(slow.slow[0].z == 0);
}

TEST_CASE("the part that grew is named with its share of the excess") {
  const auto slow =
      find_slow(iterations_of({100, 101, 99, 100, 100, 200}, {10, 10, 10, 10, 10, 100}));
  REQUIRE(slow.slow.size() == 1);
  CHECK(slow.slow[0].growth_ns[kActivities + static_cast<size_t>(Cause::host_outside)] == 90);
  CHECK(slow_text(slow, 6) == "1 of 6: 5 (+100 ns), 90 % of it from host outside CUDA");
  CHECK(slow_text(slow, 6, false) == "1 of 6 (+100 ns), 90 % of it from host outside CUDA");
}

TEST_CASE("the typical iteration is the one closest to the median") {
  CHECK(find_slow(iterations_of({10, 50, 30, 90, 31})).typical == 4);
  CHECK(find_slow(DeviceFigures{}).typical == kNone);
}
