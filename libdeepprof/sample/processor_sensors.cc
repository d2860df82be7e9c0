#include "libdeepprof/sample/processor_sensors.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace deepprof {
namespace {

std::string word_in(const std::string& path) {
  KernelFile file(path);
  const auto text = file.read();
  return text ? std::string(text->substr(0, text->find('\n'))) : std::string();
}

bool one_of(const std::string& word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::string_view kInput = "_input";

// Names of a chip's inputs by number, less "_input": "temp1", "temp2", "temp10".
std::vector<std::string> inputs_of(const std::string& chip, std::string_view prefix) {
  std::vector<std::string> inputs;
  for (std::string& name : names_in(chip, prefix)) {
    if (name.ends_with(kInput)) inputs.push_back(name.substr(0, name.size() - kInput.size()));
  }
  std::sort(inputs.begin(), inputs.end(), [](const std::string& a, const std::string& b) {
    return std::pair(a.size(), a) < std::pair(b.size(), b);
  });
  return inputs;
}

// The package's own input among those of its cores and dies: of AMD's the one without the offset
// for fans, which Tctl may have; the first where nothing is labelled.
std::string package_input(const std::string& chip) {
  const std::vector<std::string> inputs = inputs_of(chip, "temp");
  for (const char* label : {"Tdie", "Package id ", "Tctl"}) {
    for (const std::string& input : inputs) {
      if (word_in(chip + input + "_label").compare(0, std::string_view(label).size(), label) == 0)
        return input;
    }
  }
  return inputs.empty() ? std::string() : inputs.front();
}

bool is_of_processor(std::string zone) {
  std::transform(zone.begin(), zone.end(), zone.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return zone == "x86_pkg_temp" || zone.compare(0, 3, "cpu") == 0;
}

}  // namespace

std::vector<KernelFile> find_thermometers(const std::string& root) {
  std::vector<KernelFile> found;
  const std::string chips = root + "/sys/class/hwmon/";
  for (const std::string& name : names_in(chips, "hwmon")) {
    const std::string chip = chips + name + "/";
    if (!one_of(word_in(chip + "name"), {"coretemp", "k10temp", "zenpower", "cpu_thermal"}))
      continue;
    if (const std::string input = package_input(chip); !input.empty())
      found.emplace_back(chip + input + std::string(kInput));
  }
  if (!found.empty()) return found;
  const std::string zones = root + "/sys/class/thermal/";
  for (const std::string& zone : names_in(zones, "thermal_zone")) {
    if (is_of_processor(word_in(zones + zone + "/type")))
      found.emplace_back(zones + zone + "/temp");
  }
  return found;
}

std::vector<EnergyCounter> find_energy_counters(const std::string& root) {
  std::vector<EnergyCounter> found;
  // AMD's, too, are called that. intel-rapl-mmio shows the same packages a second time.
  const std::string domains = root + "/sys/class/powercap/";
  for (const std::string& domain : names_in(domains, "intel-rapl:")) {
    const std::string folder = domains + domain;
    // Subdomains (cores, memory) are part of their package, or not of the processor at all; psys is
    // the whole machine.
    if (word_in(folder + "/name").compare(0, 7, "package") != 0) continue;
    KernelFile range(folder + "/max_energy_range_uj");
    found.push_back({KernelFile(folder + "/energy_uj"), range.read_number().value_or(0)});
  }
  if (!found.empty()) return found;
  // Kernels of 2020 that show AMD's as sensors: each core's, and each socket's, which holds them.
  const std::string chips = root + "/sys/class/hwmon/";
  for (const std::string& name : names_in(chips, "hwmon")) {
    const std::string chip = chips + name + "/";
    if (word_in(chip + "name") != "amd_energy") continue;
    for (const std::string& input : inputs_of(chip, "energy")) {
      if (word_in(chip + input + "_label").compare(0, 7, "Esocket") == 0)
        found.push_back({KernelFile(chip + input + std::string(kInput)), 0});
    }
  }
  return found;
}

}  // namespace deepprof
