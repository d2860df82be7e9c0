#include "analysis/device/curve.h"

#include "test/support/catch.h"

namespace deepprof {
namespace {

constexpr int64_t kSecond_ns = 1'000'000'000;
using Points = std::vector<SamplePoint>;

}  // namespace

TEST_CASE("a gauge is a straight line between samples, and its windows add up") {
  const Points points{{0, 100}, {kSecond_ns, 200}, {2 * kSecond_ns, 200}};
  const Curve curve = Curve::of_gauge(points);
  CHECK(curve.over({0, 2 * kSecond_ns}).sum == Approx(350));
  CHECK(curve.over({0, kSecond_ns / 2}).sum == Approx(62.5));
  CHECK(curve.over({kSecond_ns / 2, 3 * kSecond_ns / 2}).sum == Approx(87.5 + 100));
  CHECK(curve.over({kSecond_ns / 4, kSecond_ns / 2}).per_second() == Approx(137.5));
}

TEST_CASE("what lies before the first and behind the last sample is not known") {
  const Points points{{kSecond_ns, 5}, {2 * kSecond_ns, 5}};
  const Curve curve = Curve::of_gauge(points);
  CHECK(curve.over({0, 3 * kSecond_ns}).known_ns == kSecond_ns);
  CHECK(curve.over({0, kSecond_ns}).known_ns == 0);
  CHECK(curve.over({5, 5}).known_ns == 0);
  CHECK(Curve::of_gauge({}).over({0, kSecond_ns}).known_ns == 0);
  CHECK(Curve::of_gauge(Points{{0, 1}}).empty());
}

TEST_CASE("a mean holds since the sample before it") {
  const Curve curve = Curve::of_mean(Points{{0, 7}, {kSecond_ns, 1}, {2 * kSecond_ns, 3}});
  CHECK(curve.over({0, kSecond_ns}).sum == Approx(1));
  CHECK(curve.over({kSecond_ns / 2, 3 * kSecond_ns / 2}).sum == Approx(2));
}

TEST_CASE("a window shorter than the time between samples gets its share of the interval") {
  const Curve curve =
      Curve::of_counter(Metric::gpu_energy, Points{{0, 1000}, {kSecond_ns, 1100}}, Curve());
  CHECK(curve.over({kSecond_ns / 10, kSecond_ns / 5}).sum == Approx(10));
}

TEST_CASE(
    "a counter that was reset takes the interval's growth from the rate, else from its "
    "neighbours") {
  const Points counter{{0, 5000}, {kSecond_ns, 5100}, {2 * kSecond_ns, 30}, {3 * kSecond_ns, 130}};
  const Curve rate =
      Curve::of_gauge(Points{{0, 80}, {3 * kSecond_ns / 2, 80}, {3 * kSecond_ns, 80}});
  CHECK(Curve::of_counter(Metric::gpu_energy, counter, rate).over({0, 3 * kSecond_ns}).sum ==
        Approx(280));
  CHECK(Curve::of_counter(Metric::gpu_energy, counter, Curve()).over({0, 3 * kSecond_ns}).sum ==
        Approx(300));
}

TEST_CASE("a counter that grows as no GPU can was reset") {
  // 0xffffffff mJ in a tenth of a second, and back.
  constexpr int64_t kTenth_ns = kSecond_ns / 10;
  const Points counter{{0, 5'000},
                       {kTenth_ns, 5'070},
                       {2 * kTenth_ns, 4'294'967'295},
                       {3 * kTenth_ns, 5'210},
                       {4 * kTenth_ns, 5'280}};
  CHECK(Curve::of_counter(Metric::gpu_energy, counter, Curve()).over({0, 4 * kTenth_ns}).sum ==
        Approx(280));
  CHECK(Curve::of_counter(Metric::children_cpu, counter, Curve()).over({0, 2 * kTenth_ns}).sum >
        4e9);  // a count of nanoseconds may grow so
}

TEST_CASE("a hole is unknown to a gauge; a counter knows its total and nothing of its parts") {
  const Points points{{0, 10},
                      {kSecond_ns, 20},
                      {2 * kSecond_ns, 30},
                      {42 * kSecond_ns, 430},
                      {43 * kSecond_ns, 440},
                      {44 * kSecond_ns, 450}};
  const Curve gauge = Curve::of_gauge(points),
              counter = Curve::of_counter(Metric::gpu_energy, points, Curve());
  CHECK(gauge.over({0, 44 * kSecond_ns}).known_ns == 4 * kSecond_ns);
  CHECK(counter.over({0, 44 * kSecond_ns}).sum == Approx(440));
  CHECK(counter.over({0, 44 * kSecond_ns}).known_ns == 44 * kSecond_ns);
  CHECK(counter.over({5 * kSecond_ns, 6 * kSecond_ns}).known_ns == 0);
  CHECK(counter.over({kSecond_ns, 6 * kSecond_ns}).sum == Approx(10));
  CHECK(counter.over({kSecond_ns, 6 * kSecond_ns}).known_ns == kSecond_ns);
}

TEST_CASE("samples as far apart as times can be make no hole between two of them") {
  const Points points{{0, 1}, {INT64_MAX / 2 - 1, 1}};
  CHECK(Curve::of_mean(points).over({0, kSecond_ns}).known_ns == kSecond_ns);
}

TEST_CASE("the greatest value of a window counts its samples and the lines at its borders") {
  const Points points{{0, 10}, {kSecond_ns, 30}, {2 * kSecond_ns, 20}};
  CHECK(greatest_in(points, {0, 2 * kSecond_ns}) == 30);
  CHECK(greatest_in(points, {kSecond_ns / 4, kSecond_ns / 2}) == 20);
  // a second behind the last sample
  CHECK(greatest_in(points, {3 * kSecond_ns, 3 * kSecond_ns + 1}) == 20);
  CHECK_FALSE(greatest_in(points, {10 * kSecond_ns, 11 * kSecond_ns}));
  CHECK_FALSE(greatest_in({}, {0, 1}));
}

}  // namespace deepprof
