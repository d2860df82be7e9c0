#include "analysis/device/usage.h"

#include <algorithm>
#include <vector>

#include "analysis/device/run_use.h"
#include "libdeepprof/trace/sample_totals.h"
#include "test/support/catch.h"

namespace deepprof {
namespace {

constexpr int64_t kSecond_ns = 1'000'000'000;

struct Sampled {
  void put(Metric metric, uint32_t device, const std::vector<double>& by_second) {
    int64_t time_ns = 0;
    for (const double value : by_second) {
      trace.samples.push_back({time_ns, value, trace.names.intern(metric_name(metric)), device});
      time_ns += kSecond_ns;
    }
  }
  Trace trace;
};

}  // namespace

TEST_CASE("a window of the run has means, peaks and the throttled share of its samples") {
  Sampled of;
  of.put(Metric::gpu_utilization, 0, {1, 1, 0, 0});
  of.put(Metric::gpu_memory_used, 0, {10, 30, 20, 20});
  of.put(Metric::gpu_temperature, 0, {50, 60, 70, 65});
  of.put(Metric::gpu_throttle, 0, {0, 4, 1, 0x41});
  of.trace.finish();
  const SampleIndex index(of.trace);
  const GpuMeter meter(index, 0);
  const GpuUse use = meter.in({0, 3 * kSecond_ns});
  CHECK(*use.utilization_ratio == Approx(0.5));
  CHECK(*use.memory_peak_bytes == 30);
  CHECK(*use.temperature_max_c == 70);
  // idle (1) is no fault, the last sample is behind the window
  CHECK(*use.throttled_ratio == Approx(1.0 / 3));
  CHECK_FALSE(use.energy_mj);
  CHECK_FALSE(use.power_mw);
  CHECK_FALSE(use.sm_clock_mhz);
}

TEST_CASE("where a fifth of a window is not sampled its figures are n/a, and less is made up for") {
  Sampled of;
  of.put(Metric::gpu_power, 0, {100, 100, 100, 100, 100});
  of.trace.finish();
  const SampleIndex index(of.trace);
  const GpuMeter meter(index, 0);
  CHECK(*meter.in({-kSecond_ns / 2, 4 * kSecond_ns}).energy_mj == Approx(450));
  CHECK_FALSE(meter.in({-2 * kSecond_ns, 4 * kSecond_ns}).energy_mj);
}

TEST_CASE("the host's figures are those of its process and its machine") {
  Sampled of;
  of.put(Metric::process_cpu, kNone, {0, 2, 1});
  of.put(Metric::process_memory, kNone, {5, 9, 7});
  of.put(Metric::process_read, kNone, {1000, 1000, 5096});
  of.put(Metric::cpu_energy, kNone, {0, 40'000, 80'000});
  of.put(Metric::children_cpu, kNone, {5e9, 7.5e9, 10e9});
  of.trace.finish();
  const SampleIndex index(of.trace);
  const HostMeter meter(index);
  const HostUse use = meter.in({0, 2 * kSecond_ns});
  CHECK(*use.process_cpu_ratio == Approx(1.5));
  CHECK(*use.process_memory_peak_bytes == 9);
  CHECK(*use.process_read_bytes == Approx(4096));
  CHECK(*use.cpu_power_mw == Approx(40'000));
  CHECK(*use.children_cpu_ratio == Approx(2.5));
  CHECK_FALSE(use.system_cpu_ratio);
}

TEST_CASE("where samples were let go the run's use is what was counted while it was sampled") {
  Sampled of;
  of.put(Metric::gpu_memory_used, 0, {10, 20});
  of.put(Metric::gpu_throttle, 0, {0, 0});
  SampleTotals totals;
  for (int64_t second = 0; second < 100; ++second) {
    totals.add(Metric::gpu_memory_used, 0, second * kSecond_ns, second == 50 ? 70 : 20);
    totals.add(Metric::gpu_throttle, 0, second * kSecond_ns, second < 40 ? 4 : 0);
    totals.add(Metric::thread_runnable, 3, second * kSecond_ns, 0.25);
  }
  of.trace.blobs[std::string(SampleTotals::kBlobKey)] = totals.encode();
  of.trace.finish();
  const SampleIndex samples(of.trace);
  const RunUse use(of.trace, samples);
  CHECK(use.counted());
  CHECK(use.gpu(0, {0, kSecond_ns}).memory_peak_bytes == 70);
  CHECK(*use.gpu(0, {0, kSecond_ns}).throttled_ratio == Approx(0.4));
  CHECK(*use.without_core(3, {0, kSecond_ns}) == Approx(0.25));
  CHECK_FALSE(use.totals().damaged());
}

TEST_CASE("a thread that lived for a moment waited for a core for a small share of the run") {
  Sampled of;
  of.put(Metric::process_cpu, kHostDevice, std::vector<double>(100, 0.5));
  of.put(Metric::thread_runnable, 3, {0.9, 0.9, 0.9});
  of.put(Metric::thread_runnable, 4, {0.9, 0.9});
  of.trace.finish();
  const SampleIndex samples(of.trace);
  const RunUse from_samples(of.trace, samples);
  REQUIRE_FALSE(from_samples.counted());
  CHECK(*from_samples.without_core(3, {0, 99 * kSecond_ns}) == Approx(0.9 * 2 / 99));
  CHECK_FALSE(from_samples.without_core(4, {0, 99 * kSecond_ns}));  // too few samples

  SampleTotals totals;
  for (int64_t second = 0; second < 1000; ++second)
    totals.add(Metric::process_cpu, kHostDevice, second * kSecond_ns, 0.5);
  for (int64_t second = 0; second < 3; ++second) {
    totals.add(Metric::thread_runnable, 3, second * kSecond_ns, 0.9);
    if (second < 2) totals.add(Metric::thread_runnable, 4, second * kSecond_ns, 0.9);
  }
  of.trace.blobs[std::string(SampleTotals::kBlobKey)] = totals.encode();
  const RunUse from_totals(of.trace, samples);
  REQUIRE(from_totals.counted());
  CHECK(*from_totals.without_core(3, {}) == Approx(0.9 * 2 / 999));
  CHECK_FALSE(from_totals.without_core(4, {}));
}

TEST_CASE("totals that cannot be read are told, and the samples stand in") {
  Sampled of;
  of.put(Metric::gpu_memory_used, 0, {10, 20});
  of.trace.blobs[std::string(SampleTotals::kBlobKey)] = "\xff\xff";
  of.trace.finish();
  const SampleIndex samples(of.trace);
  const RunUse use(of.trace, samples);
  CHECK(use.totals().damaged());
  CHECK_FALSE(use.counted());
  CHECK(use.gpu(0, {0, 2 * kSecond_ns}).memory_peak_bytes == 20);
}

TEST_CASE("a counter is not doubted over less time than its steps need") {
  SampleTotals totals;
  // A hundredth of the energy, by a counter that has not moved yet.
  for (int64_t tick = 0; tick <= 30; ++tick) {
    totals.add(Metric::gpu_power, 0, tick * kSecond_ns / 10, 200'000);
    totals.add(Metric::gpu_energy, 0, tick * kSecond_ns / 10, static_cast<double>(tick) * 200);
    const bool enough = tick >= 20;
    const std::map<std::string, std::string> blobs{
        {std::string(SampleTotals::kBlobKey), totals.encode()}};
    const RunTotals of(blobs);
    if (tick > 0)
      CHECK(of.energy_source(0) ==
            (enough ? EnergySource::power_against_counter : EnergySource::counter));
  }
}

TEST_CASE("unknown metrics and values that are no numbers are left out") {
  Sampled of;
  of.put(Metric::gpu_power, 0, {1, 2});
  of.trace.samples.push_back({5, 3, of.trace.names.intern("gpu_colour"), 0});
  of.trace.samples.push_back({2 * kSecond_ns, 0.0 / 0.0, of.trace.names.intern("gpu_power_mw"), 0});
  of.trace.finish();
  const SampleIndex index(of.trace);
  CHECK(index.of(Metric::gpu_power, 0).size() == 2);
  CHECK(index.gpus() == std::vector<uint32_t>{0});
}

TEST_CASE("values that cannot be are left out of every figure, and counted") {
  Sampled of;
  of.put(Metric::gpu_utilization, 0, {0.5, 42949672.95, 0.5});
  of.put(Metric::gpu_temperature, 0, {60, 4294967296.0, 61});
  of.put(Metric::gpu_power, 0, {0, 300'000, 300'000, -1});
  of.trace.finish();
  const SampleIndex index(of.trace);
  CHECK(index.impossible() == 4);
  const GpuUse use = GpuMeter(index, 0).in({0, 2 * kSecond_ns});
  CHECK(*use.utilization_ratio == Approx(0.5));
  CHECK(*use.temperature_max_c == Approx(61));
}

TEST_CASE("values that no whole number holds are brought into range") {
  CHECK(SamplePoint{0, 12.9}.whole() == 12);
  CHECK(SamplePoint{0, -1}.whole() == 0);
  CHECK(SamplePoint{0, 0.0 / 0.0}.whole() == 0);
  CHECK(SamplePoint{0, 1e300}.whole() == int64_t{1} << 62);
  CHECK(throttle_bits({0, -4}) == 0);
}

TEST_CASE(
    "where the clock was set back a counter goes on when the clock has caught up, and is not "
    "reset") {
  Sampled of;
  of.put(Metric::gpu_energy, 0, {0, 100, 200, 300});
  of.put(Metric::gpu_energy, 0, {400, 500, 600, 700, 800});  // from second 0 once more
  of.put(Metric::gpu_energy, 1, {0, 10, 20});                // a series of its own
  of.trace.finish();
  CHECK(of.trace.losses[Loss::bad_timestamp] == 3);
  const SampleIndex index(of.trace);
  const auto points = index.of(Metric::gpu_energy, 0);
  CHECK(std::is_sorted(points.begin(), points.end(),
                       [](auto a, auto b) { return a.value < b.value; }));
  CHECK(*GpuMeter(index, 0).in({0, 4 * kSecond_ns}).energy_mj == Approx(800));
  CHECK(index.of(Metric::gpu_energy, 1).size() == 3);
}

TEST_CASE("a counter of which every step is absurd leaves energy to power, or n/a") {
  Sampled of;
  of.put(Metric::gpu_energy, 0, {0, 4'294'967'295, 8'589'934'590, 12'884'901'885});
  const Window run{0, 3 * kSecond_ns};
  const SampleIndex alone(of.trace);
  const GpuMeter nothing(alone, 0);
  CHECK_FALSE(nothing.in(run).energy_mj);
  CHECK_FALSE(nothing.in(run).power_mw);
  CHECK(nothing.energy_source() == EnergySource::none);
  CHECK(nothing.unusable_counter());
  of.put(Metric::gpu_power, 0, {100'000, 100'000, 100'000, 100'000});
  const SampleIndex both(of.trace);
  CHECK(*GpuMeter(both, 0).in(run).energy_mj == Approx(300'000));
}

}  // namespace deepprof
