#include "libdeepprof/sample/processor_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "libdeepprof/sample/kernel_file.h"

namespace deepprof {
namespace {

// A counter of microjoules that starts again after its range.
struct Package {
  KernelFile counter;
  int64_t range_uj = 0;
  int64_t before_uj = -1;
};

std::string word_in(const std::string& path) {
  KernelFile file(path);
  const auto text = file.read();
  return text ? std::string(text->substr(0, text->find('\n'))) : std::string();
}

bool one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* each) { return word == each; });
}

std::vector<KernelFile> find_thermometers(const std::string& root) {
  std::vector<KernelFile> found;
  const std::string chips = root + "/sys/class/hwmon/";
  for (const std::string& chip : names_in(chips, "hwmon")) {
    // The first input of these is the package's own.
    if (one_of(word_in(chips + chip + "/name"),
               {"coretemp", "k10temp", "zenpower", "cpu_thermal"})) {
      found.emplace_back(chips + chip + "/temp1_input");
    }
  }
  if (!found.empty()) return found;
  const std::string zones = root + "/sys/class/thermal/";
  for (const std::string& zone : names_in(zones, "thermal_zone")) {
    if (one_of(word_in(zones + zone + "/type"), {"x86_pkg_temp", "cpu-thermal", "cpu_thermal"})) {
      found.emplace_back(zones + zone + "/temp");
    }
  }
  return found;
}

std::vector<Package> find_packages(const std::string& root) {
  std::vector<Package> found;
  const std::string domains = root + "/sys/class/powercap/";
  for (const std::string& domain : names_in(domains, "intel-rapl:")) {
    const std::string folder = domains + domain;
    // Subdomains (cores, memory) are part of their package, or not of the processor at all.
    if (word_in(folder + "/name").compare(0, 7, "package") != 0) continue;
    KernelFile range(folder + "/max_energy_range_uj");
    found.push_back({KernelFile(folder + "/energy_uj"), range.read_number().value_or(0)});
  }
  return found;
}

class ProcessorSource final : public SampleSource {
 public:
  explicit ProcessorSource(const std::string& root)
      : thermometers_(find_thermometers(root)), packages_(find_packages(root)) {}

  void sample(SampleSink& sink) override {
    sample_energy(sink);
    const int64_t now_ns = monotonic_ns();
    if (!slow_.due(now_ns, sink.last_tick())) return;
    sample_temperature(now_ns, sink);
    slow_.ran(now_ns, monotonic_ns());
  }

 private:
  void sample_energy(SampleSink& sink) {
    if (packages_.empty()) {
      return sink.unavailable(Metric::cpu_energy, kHostDevice,
                              "this machine shows no RAPL counter of its processors");
    }
    const int64_t now_ns = monotonic_ns();
    for (Package& package : packages_) {
      const std::optional<int64_t> now_uj = package.counter.read_number();
      if (!now_uj) {
        const std::string why = std::strerror(errno);
        packages_.clear();  // the sum of some packages is nobody's energy
        return sink.unavailable(Metric::cpu_energy, kHostDevice,
                                "cannot read the RAPL counter: " + why);
      }
      if (package.before_uj >= 0) {
        const int64_t grown = *now_uj - package.before_uj;
        used_uj_ += grown >= 0 ? grown : std::max<int64_t>(0, grown + package.range_uj);
      }
      package.before_uj = *now_uj;
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
