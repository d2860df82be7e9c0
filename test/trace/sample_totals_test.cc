// Totals of sampled series: what they count, and that they survive being stored.
#include "libdeepprof/trace/sample_totals.h"

#include "test/support/catch.h"

namespace deepprof {
namespace {

constexpr int64_t kSecond_ns = 1'000'000'000;

SampleTotals counted(Metric metric,
                     std::initializer_list<std::pair<double, double>> seconds_and_values) {
  SampleTotals totals;
  for (const auto& [second, value] : seconds_and_values)
    totals.add(metric, 0, static_cast<int64_t>(second * 1e9), value);
  return totals;
}

}  // namespace

TEST_CASE(
    "a gauge is integrated in straight lines, a mean holds since its sample before, a counter "
    "grows") {
  CHECK(counted(Metric::gpu_power, {{0, 100}, {1, 300}, {3, 300}}).of(Metric::gpu_power, 0)->sum ==
        Approx(800));
  CHECK(counted(Metric::process_cpu, {{0, 9}, {1, 0.5}, {3, 1}}).of(Metric::process_cpu, 0)->sum ==
        Approx(2.5));
  const SampleTotals counter = counted(Metric::gpu_energy, {{0, 500}, {1, 700}, {2, 50}, {3, 150}});
  const SeriesTotals& energy = *counter.of(Metric::gpu_energy, 0);
  CHECK(energy.sum == Approx(300));
  CHECK(energy.known_ns == 2 * kSecond_ns);
  CHECK(energy.resets == 1);
  CHECK(energy.least == 50);
  CHECK(energy.greatest == 700);
  CHECK(energy.samples == 4);
}

TEST_CASE("an energy counter that grows as no GPU can was reset") {
  const SampleTotals counter =
      counted(Metric::gpu_energy, {{0, 500}, {1, 700}, {2, 4'294'967'295}, {3, 4'294'967'495}});
  const SeriesTotals& energy = *counter.of(Metric::gpu_energy, 0);
  CHECK(energy.sum == Approx(400));
  CHECK(energy.known_ns == 2 * kSecond_ns);
  CHECK(energy.resets == 1);
}

TEST_CASE("a time without samples is not known of a gauge, and a counter knows its total") {
  const SampleTotals gauge =
      counted(Metric::gpu_power, {{0, 100}, {1, 100}, {2, 100}, {60, 900}, {61, 100}});
  CHECK(gauge.of(Metric::gpu_power, 0)->known_ns == 3 * kSecond_ns);
  const SampleTotals counter =
      counted(Metric::gpu_energy, {{0, 0}, {1, 100}, {2, 200}, {60, 6000}});
  CHECK(counter.of(Metric::gpu_energy, 0)->sum == Approx(6000));
  CHECK(counter.of(Metric::gpu_energy, 0)->known_ns == 60 * kSecond_ns);
}

TEST_CASE(
    "samples that step back in time are left out, and those that slow a GPU down are counted") {
  SampleTotals totals = counted(Metric::gpu_throttle, {{1, 4}, {2, 1}, {1, 4}, {2, 4}, {3, 0x40}});
  CHECK(totals.of(Metric::gpu_throttle, 0)->samples == 3);
  CHECK(totals.of(Metric::gpu_throttle, 0)->flagged == 2);
  CHECK(totals.of(Metric::gpu_power, 0) == nullptr);
}

TEST_CASE(
    "totals are stored and read back as they were, and damage or a newer version is nothing") {
  SampleTotals totals = counted(Metric::gpu_energy, {{1, 5}, {2, 7}, {3, 6}, {4, 9}});
  totals.add(Metric::process_memory, UINT32_MAX, 17 * kSecond_ns, 4096);
  const std::string bytes = totals.encode();
  const auto again = SampleTotals::decode(bytes);
  REQUIRE(again);
  CHECK(again->series() == totals.series());
  for (size_t size = 0; size < bytes.size(); ++size)
    CHECK_FALSE(SampleTotals::decode(bytes.substr(0, size)));
  CHECK_FALSE(SampleTotals::decode(bytes + "x"));
  CHECK_FALSE(SampleTotals::decode("\x02" + bytes.substr(1)));
}

}  // namespace deepprof
