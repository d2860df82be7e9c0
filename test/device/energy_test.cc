// Energy of windows against the exact integral of the power curve that was sampled, for curves,
// sampling times, resets and lost samples drawn at random.
#include <cmath>
#include <random>

#include "analysis/device/usage.h"
#include "test/support/catch.h"

namespace deepprof {
namespace {

constexpr double kSecond_ns = 1e9;
constexpr int64_t kRun_ns = 120'000'000'000;

// Power that swings between two levels, as a job's phases make it: a sine has an exact integral.
struct PowerCurve {
  double mean_mw, swing_mw, period_s, phase;
  double at(double s) const {
    return mean_mw + swing_mw * std::sin(s / period_s * 2 * M_PI + phase);
  }
  double energy_mj(double from_s, double to_s) const {
    const auto antiderivative = [&](double s) {
      return mean_mw * s -
             swing_mw * period_s / (2 * M_PI) * std::cos(s / period_s * 2 * M_PI + phase);
    };
    return antiderivative(to_s) - antiderivative(from_s);
  }
};

struct Sampling {
  bool counter = true, power = true;
  double reset_every_s = 0;
  double lost = 0;  // share of the samples
};

using Random = std::mt19937_64;
double uniform(Random& random, double from, double to) {
  return std::uniform_real_distribution<double>(from, to)(random);
}

Trace sample(const PowerCurve& curve, const Sampling& how, Random& random) {
  Trace trace;
  const NameId energy = trace.names.intern("gpu_energy_mj"),
               power = trace.names.intern("gpu_power_mw");
  double counted_from_s = -1000;  // when the counter was at 0
  // irregular
  for (double s = -0.3; s < kRun_ns / kSecond_ns + 0.3; s += uniform(random, 0.05, 0.2)) {
    if (how.reset_every_s > 0 && s - counted_from_s > how.reset_every_s)
      counted_from_s = s - uniform(random, 0, 0.05);
    if (uniform(random, 0, 1) < how.lost) continue;
    const auto time_ns = static_cast<int64_t>(s * kSecond_ns);
    if (how.counter)
      trace.samples.push_back({time_ns, curve.energy_mj(counted_from_s, s), energy, 0});
    if (how.power) trace.samples.push_back({time_ns, curve.at(s), power, 0});
  }
  trace.finish();
  return trace;
}

// The largest error of iterations of `length_s` that tile the run, relative to their exact energy.
double largest_error(const PowerCurve& curve, const Trace& trace, double length_s) {
  const SampleIndex index(trace);
  const GpuMeter meter(index, 0);
  double largest = 0;
  for (double from = 0; from + length_s < kRun_ns / kSecond_ns; from += length_s) {
    const Window window{static_cast<int64_t>(from * kSecond_ns),
                        static_cast<int64_t>((from + length_s) * kSecond_ns)};
    const GpuUse use = meter.in(window);
    REQUIRE(use.energy_mj.has_value());
    const double exact = curve.energy_mj(from, from + length_s);
    largest = std::max(largest, std::fabs(*use.energy_mj - exact) / exact);
  }
  return largest;
}

PowerCurve random_curve(Random& random) {
  const double mean = uniform(random, 60'000, 700'000);
  return {mean, mean * uniform(random, 0, 0.6), uniform(random, 8, 60), uniform(random, 0, 6)};
}

}  // namespace

TEST_CASE("energy per iteration is within 1 % of the exact integral, sampled at irregular times") {
  Random random(1);
  for (int i = 0; i < 40; ++i) {
    const PowerCurve curve = random_curve(random);
    CHECK(largest_error(curve, sample(curve, {}, random), uniform(random, 0.02, 4)) < 0.01);
  }
}

TEST_CASE("without an energy counter the integral of power is within 1 %") {
  Random random(2);
  for (int i = 0; i < 40; ++i) {
    const PowerCurve curve = random_curve(random);
    CHECK(largest_error(curve, sample(curve, {false, true}, random), uniform(random, 0.02, 4)) <
          0.01);
  }
}

TEST_CASE("counters that are reset and samples that are missing keep it within 1 %") {
  Random random(3);
  for (int i = 0; i < 40; ++i) {
    const PowerCurve curve = random_curve(random);
    const Sampling how{true, i % 2 == 0, uniform(random, 3, 20), uniform(random, 0, 0.3)};
    CHECK(largest_error(curve, sample(curve, how, random), uniform(random, 1, 4)) < 0.01);
  }
}

TEST_CASE(
    "power that jumps is within 1 % over iterations that are long against the sampling, and its "
    "sum is exact") {
  Trace trace;
  const NameId energy = trace.names.intern("gpu_energy_mj");
  Random random(4);
  // 300 W for a second, 100 W for a second.
  const auto energy_at = [](double s) {
    const double whole = std::floor(s / 2), rest = s - 2 * whole;
    return whole * 400'000 + (rest < 1 ? 300'000 * rest : 300'000 + 100'000 * (rest - 1));
  };
  for (double s = 0; s < 121; s += uniform(random, 0.05, 0.15)) {
    trace.samples.push_back({static_cast<int64_t>(s * kSecond_ns), energy_at(s), energy, 0});
  }
  trace.finish();
  const SampleIndex index(trace);
  const GpuMeter meter(index, 0);
  double sum = 0;
  for (int from = 0; from < 120; from += 6) {
    const GpuUse use = meter.in({from * 1'000'000'000ll, (from + 6) * 1'000'000'000ll});
    CHECK(*use.energy_mj == Approx(1'200'000).epsilon(0.01));
    sum += *use.energy_mj;
  }
  CHECK(sum == Approx(energy_at(120) - energy_at(0)).epsilon(0.002));
}

TEST_CASE(
    "a counter that is reset faster than it is sampled, or counts a part, gives way to sampled "
    "power and is named") {
  Random random(6);
  for (int i = 0; i < 20; ++i) {
    const PowerCurve curve = random_curve(random);
    Trace fast = sample(curve, {true, true, 0.07}, random), part = sample(curve, {}, random);
    const NameId energy = part.names.intern("gpu_energy_mj");
    for (Sample& each : part.samples) each.value *= each.metric == energy ? 0.3 : 1;
    for (const Trace* trace : {&fast, &part}) {
      CHECK(largest_error(curve, *trace, uniform(random, 1, 4)) < 0.02);
      CHECK(GpuMeter(SampleIndex(*trace), 0).energy_source() ==
            EnergySource::power_against_counter);
    }
  }
}

TEST_CASE(
    "a counter that disagrees with power by a quarter is used and doubted, one that is reset now "
    "and then is neither") {
  Random random(7);
  const PowerCurve curve = random_curve(random);
  Trace high = sample(curve, {}, random);
  const NameId energy = high.names.intern("gpu_energy_mj");
  for (Sample& each : high.samples) each.value *= each.metric == energy ? 1.5 : 1;
  const Trace reset = sample(curve, {true, true, 3}, random);
  const SampleIndex samples_of_high(high), samples_of_reset(reset);
  const GpuMeter of_high(samples_of_high, 0), of_reset(samples_of_reset, 0);
  CHECK(of_high.energy_source() == EnergySource::counter);
  CHECK(of_high.counter_check().doubted());
  CHECK(of_reset.energy_source() == EnergySource::counter);
  CHECK_FALSE(of_reset.counter_check().doubted());
}

TEST_CASE("the energy counter is preferred, and the source is named") {
  Random random(5);
  const PowerCurve curve = random_curve(random);
  const Trace both = sample(curve, {}, random), power = sample(curve, {false, true}, random);
  CHECK(GpuMeter(SampleIndex(both), 0).energy_source() == EnergySource::counter);
  CHECK(GpuMeter(SampleIndex(power), 0).energy_source() == EnergySource::power);
  CHECK(GpuMeter(SampleIndex(power), 1).energy_source() == EnergySource::none);
  CHECK(std::string(energy_source_words(EnergySource::counter)) == "energy counter");
}

}  // namespace deepprof
