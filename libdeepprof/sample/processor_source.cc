#include "libdeepprof/sample/processor_source.h"

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "libdeepprof/sample/processor_sensors.h"

namespace deepprof {
namespace {

struct Package {
  EnergyCounter counter;
  int64_t before_uj = -1, read_ns = 0;
};

std::vector<Package> packages_of(const std::string& root) {
  std::vector<Package> packages;
  for (EnergyCounter& counter : find_energy_counters(root))
    packages.push_back({std::move(counter)});
  return packages;
}

// A counter that fell started again: after its range, or anew (a machine that slept). It did the
// latter where the package would have taken more in between than any can; so a counter that rose by
// more was read amiss, now or before.
int64_t growth_uj(const Package& package, int64_t now_uj, int64_t now_ns) {
  constexpr int64_t kMostPower_uj_per_ms = 5'000'000;  // 5 kW
  const int64_t risen = now_uj - package.before_uj;
  const int64_t grown = risen >= 0 ? risen : risen + package.counter.range_uj;
  const int64_t milliseconds = 1 + (now_ns - package.read_ns) / 1'000'000;
  return grown >= 0 && grown <= kMostPower_uj_per_ms * milliseconds ? grown : 0;
}

std::string why_unreadable(const KernelFile& counter, int error) {
  if (error == EACCES || error == EPERM)
    return "the energy counter of the processors is for root alone here: " + counter.path();
  return "cannot read " + counter.path() + ": " + std::strerror(error);
}

class ProcessorSource final : public SampleSource {
 public:
  explicit ProcessorSource(const std::string& root)
      : thermometers_(find_thermometers(root)), packages_(packages_of(root)) {}

  int64_t sample(SampleSink& sink) override {
    sample_energy(sink);
    if (const int64_t now_ns = monotonic_ns(); slow_.due(now_ns, sink.last_tick())) {
      sample_temperature(now_ns, sink);
      slow_.ran(now_ns, monotonic_ns());
    }
    return packages_.empty() ? slow_.next_ns() : kEveryTick;
  }

 private:
  void sample_energy(SampleSink& sink) {
    if (packages_.empty()) {
      return sink.unavailable(Metric::cpu_energy, kHostDevice,
                              "this machine shows no energy counter of its processors (RAPL)");
    }
    const int64_t now_ns = monotonic_ns();
    for (Package& package : packages_) {
      const std::optional<int64_t> now_uj = package.counter.file.read_number();
      if (!now_uj) {
        const std::string why = why_unreadable(package.counter.file, errno);
        packages_.clear();  // the sum of some packages is nobody's energy
        return sink.unavailable(Metric::cpu_energy, kHostDevice, why);
      }
      if (package.before_uj >= 0) used_uj_ += growth_uj(package, *now_uj, now_ns);
      package.before_uj = *now_uj;
      package.read_ns = now_ns;
    }
    sink.put(Metric::cpu_energy, kHostDevice, now_ns, static_cast<double>(used_uj_) / 1000);
  }

  void sample_temperature(int64_t now_ns, SampleSink& sink) {
    std::optional<int64_t> hottest;
    for (KernelFile& thermometer : thermometers_) {
      const std::optional<int64_t> millidegrees = thermometer.read_number();
      if (millidegrees && (!hottest || *millidegrees > *hottest)) hottest = millidegrees;
    }
    if (!hottest) {
      return sink.unavailable(Metric::cpu_temperature, kHostDevice,
                              "this machine shows no temperature of its processors");
    }
    sink.put(Metric::cpu_temperature, kHostDevice, now_ns, static_cast<double>(*hottest) / 1000);
  }

  std::vector<KernelFile> thermometers_;
  std::vector<Package> packages_;
  int64_t used_uj_ = 0;
  Pace slow_{kSlowPeriod_ns};
};

}  // namespace

std::unique_ptr<SampleSource> make_processor_source(const std::string& root) {
  return std::make_unique<ProcessorSource>(root);
}

}  // namespace deepprof
