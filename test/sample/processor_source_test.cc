// Energy and temperature of the processors on the machines of several vendors, as their kernels show
// them, and where they do not.
#include "libdeepprof/sample/processor_source.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "test/sample/frozen_machine.h"
#include "test/sample/sampled.h"
#include "test/support/catch.h"

namespace deepprof {
namespace {

using test::FrozenMachine;
using test::Sampled;

class ProcessorMachine : public FrozenMachine {
 public:
  // A RAPL domain, as the powercap driver shows it.
  void domain(const std::string& name, const std::string& is, int64_t energy_uj,
              int64_t range_uj = 262'143'328'850) {
    const std::string folder = "/sys/class/powercap/" + name;
    set(folder + "/name", is + "\n");
    set(folder + "/energy_uj", std::to_string(energy_uj) + "\n");
    set(folder + "/max_energy_range_uj", std::to_string(range_uj) + "\n");
  }
  // An input of a sensor chip: "temp1" with the label "Tctl".
  void sensor(const std::string& chip, const std::string& input, const std::string& label,
              int64_t value) {
    const std::string file = "/sys/class/hwmon/" + chip + "/" + input;
    set(file + "_input", std::to_string(value) + "\n");
    if (!label.empty()) set(file + "_label", label + "\n");
  }
  void chip(const std::string& name, const std::string& is) {
    set("/sys/class/hwmon/" + name + "/name", is + "\n");
  }
  void zone(int number, const std::string& type, int64_t millidegrees) {
    const std::string folder = "/sys/class/thermal/thermal_zone" + std::to_string(number);
    set(folder + "/type", type + "\n");
    set(folder + "/temp", std::to_string(millidegrees) + "\n");
  }
};

double temperature_of(const ProcessorMachine& machine) {
  Sampled sampled;
  sampled.ask(*make_processor_source(machine.root()));
  REQUIRE(sampled.count(Metric::cpu_temperature) == 1);
  return sampled.last(Metric::cpu_temperature);
}

// What the processors took (mJ) between two readings, the second of which comes after `change`.
template <typename Change>
double energy_between(ProcessorMachine& machine, Change change) {
  Sampled sampled;
  const auto source = make_processor_source(machine.root());
  sampled.ask(*source);
  REQUIRE(sampled.count(Metric::cpu_energy) == 1);
  CHECK(sampled.last(Metric::cpu_energy) == 0);
  change();
  sampled.ask(*source);
  return sampled.last(Metric::cpu_energy);
}

std::string why_no_energy(const ProcessorMachine& machine) {
  Sampled sampled;
  sampled.ask(*make_processor_source(machine.root()));
  CHECK(sampled.count(Metric::cpu_energy) == 0);
  return sampled.facts.at("na.cpu_energy_mj");
}

}  // namespace

TEST_CASE(
    "energy is that of the packages: cores, memory, the whole machine and a second view of "
    "a package are not added to it") {
  ProcessorMachine machine;
  const auto set = [&](int64_t of_0, int64_t of_1, int64_t of_others) {
    machine.domain("intel-rapl:0", "package-0", of_0);
    machine.domain("intel-rapl:0:0", "core", of_others);
    machine.domain("intel-rapl:0:1", "dram", of_others);
    machine.domain("intel-rapl:0:2", "uncore", of_others);
    machine.domain("intel-rapl:1", "package-1", of_1);
    machine.domain("intel-rapl:2", "psys", of_others);
    machine.domain("intel-rapl-mmio:0", "package-0", of_0);
  };
  set(1'000, 2'000, 3'000);
  CHECK(energy_between(machine, [&] { set(6'000, 9'000, 900'000); }) == Approx(12));
}

TEST_CASE("AMD's processors are read by the driver that has Intel's name") {
  ProcessorMachine machine;
  const auto set = [&](int64_t package, int64_t core) {
    machine.domain("intel-rapl:0", "package-0", package, 65'532'610'987);
    machine.domain("intel-rapl:0:0", "core", core, 65'532'610'987);
  };
  set(100, 50);
  CHECK(energy_between(machine, [&] { set(4'100, 2'000); }) == Approx(4));
}

TEST_CASE("the dies of a package are counters of their own, and add up") {
  ProcessorMachine machine;
  const auto set = [&](int64_t of_0, int64_t of_1) {
    machine.domain("intel-rapl:0", "package-0-die-0", of_0);
    machine.domain("intel-rapl:1", "package-0-die-1", of_1);
  };
  set(0, 0);
  CHECK(energy_between(machine, [&] { set(3'000, 4'000); }) == Approx(7));
}

TEST_CASE(
    "sensors that AMD's kernels of 2020 have are read where there is no RAPL: sockets, not "
    "the cores in them") {
  ProcessorMachine machine;
  machine.chip("hwmon3", "amd_energy");
  machine.sensor("hwmon3", "energy1", "Ecore000", 10);
  machine.sensor("hwmon3", "energy2", "Ecore001", 10);
  machine.sensor("hwmon3", "energy3", "Esocket0", 1'000);
  machine.sensor("hwmon3", "energy4", "Esocket1", 1'000);
  CHECK(energy_between(machine, [&] {
          machine.sensor("hwmon3", "energy1", "Ecore000", 800'000);
          machine.sensor("hwmon3", "energy3", "Esocket0", 6'000);
          machine.sensor("hwmon3", "energy4", "Esocket1", 3'000);
        }) == Approx(7));
  const auto both = [&](int64_t energy_uj) {
    machine.domain("intel-rapl:0", "package-0", energy_uj);
  };
  both(0);
  CHECK(energy_between(machine, [&] {
          both(2'000);
          machine.sensor("hwmon3", "energy3", "Esocket0", 900'000);
        }) == Approx(2));
}

TEST_CASE("a counter that was read amiss adds nothing, neither then nor when it is right again") {
  ProcessorMachine machine;
  Sampled sampled;
  const auto read = [&](SampleSource& source, int64_t energy_uj) {
    machine.domain("intel-rapl:0", "package-0", energy_uj);
    sampled.ask(source);
    return sampled.last(Metric::cpu_energy);
  };
  machine.domain("intel-rapl:0", "package-0", 100'000'000'000);
  const auto source = make_processor_source(machine.root());
  sampled.ask(*source);
  CHECK(read(*source, 0) == 0);
  CHECK(read(*source, 100'000'004'000) == 0);
  CHECK(read(*source, 100'000'009'000) == Approx(5));
}

TEST_CASE("energy goes on where a counter wraps at its range, whatever that is") {
  for (const int64_t range_uj : {int64_t{262'143'328'850}, int64_t{65'532'610'987}}) {
    ProcessorMachine machine;
    machine.domain("intel-rapl:0", "package-0", range_uj - 850, range_uj);
    machine.domain("intel-rapl:1", "package-1", 1'000'000, range_uj);
    CHECK(energy_between(machine, [&] {
            machine.domain("intel-rapl:0", "package-0", 1'150, range_uj);  // 850 and 1150
            machine.domain("intel-rapl:1", "package-1", 1'003'000, range_uj);
          }) == Approx(5));
  }
}

TEST_CASE("a counter that begins anew, as after a machine slept, adds no range that nobody used") {
  ProcessorMachine machine;
  machine.domain("intel-rapl:0", "package-0", 100'000'000'000);
  CHECK(energy_between(machine, [&] { machine.domain("intel-rapl:0", "package-0", 5'000'000); }) ==
        0);
  machine.domain("intel-rapl:0", "package-0", 100, 0);  // a driver that tells no range
  CHECK(energy_between(machine, [&] { machine.domain("intel-rapl:0", "package-0", 50, 0); }) == 0);
}

TEST_CASE("machines without energy counters say so: ARM's, and containers without the folder") {
  ProcessorMachine container, arm;
  arm.zone(0, "cpu-thermal", 50'000);
  std::filesystem::create_directories(container.root() + "/sys/class/powercap");
  for (const ProcessorMachine* machine : {&container, &arm})
    CHECK(why_no_energy(*machine) ==
          "this machine shows no energy counter of its processors (RAPL)");
}

TEST_CASE("a counter that root alone may read is told to be that, with its file") {
  ProcessorMachine machine;
  machine.domain("intel-rapl:0", "package-0", 100);
  const std::string file = machine.root() + "/sys/class/powercap/intel-rapl:0/energy_uj";
  REQUIRE(::chmod(file.c_str(), 0400) == 0);
  const uid_t before = ::geteuid();
  constexpr uid_t kNobody = 65534;
  if (before == 0) {
    std::filesystem::permissions(machine.root(), std::filesystem::perms(0755));
    REQUIRE(::seteuid(kNobody) == 0);
  } else {
    REQUIRE(::chmod(file.c_str(), 0) == 0);
  }
  const std::string why = why_no_energy(machine);
  if (before == 0) REQUIRE(::seteuid(before) == 0);
  CHECK(why == "the energy counter of the processors is for root alone here: " + file);
}

TEST_CASE("where one of several packages cannot be read there is no energy, not that of the rest") {
  ProcessorMachine machine;
  machine.domain("intel-rapl:0", "package-0", 100);
  machine.domain("intel-rapl:1", "package-1", 100);
  const std::string file = machine.root() + "/sys/class/powercap/intel-rapl:1/energy_uj";
  std::filesystem::remove(file);
  CHECK(why_no_energy(machine).find("cannot read " + file) == 0);
}

TEST_CASE("the hottest package counts, and its own input, not that of a core or another chip") {
  ProcessorMachine intel;
  intel.chip("hwmon0", "nvme");
  intel.sensor("hwmon0", "temp1", "Composite", 99'000);
  intel.chip("hwmon1", "coretemp");
  intel.sensor("hwmon1", "temp1", "Package id 0", 61'000);
  intel.sensor("hwmon1", "temp2", "Core 0", 75'000);
  intel.chip("hwmon2", "coretemp");
  intel.sensor("hwmon2", "temp1", "", 58'500);
  CHECK(temperature_of(intel) == 61);
}

TEST_CASE("AMD's temperature is that of the die where it is shown beside the one for fans") {
  ProcessorMachine amd;
  amd.chip("hwmon0", "k10temp");
  amd.sensor("hwmon0", "temp1", "Tctl", 95'000);
  CHECK(temperature_of(amd) == 95);
  amd.sensor("hwmon0", "temp2", "Tdie", 68'000);
  amd.sensor("hwmon0", "temp3", "Tccd1", 70'000);
  CHECK(temperature_of(amd) == 68);
}

TEST_CASE("of many inputs none of a part of the processor is taken for its own") {
  // Zen 3 without the offset for fans has no Tdie; names of files come as text, temp10 before temp1.
  ProcessorMachine amd, unlabelled;
  amd.chip("hwmon0", "k10temp");
  amd.sensor("hwmon0", "temp1", "Tctl", 71'000);
  for (int die = 1; die <= 8; ++die)
    amd.sensor("hwmon0", "temp" + std::to_string(die + 2), "Tccd" + std::to_string(die), 50'000);
  CHECK(temperature_of(amd) == 71);
  unlabelled.chip("hwmon0", "coretemp");
  for (int input = 2; input <= 10; ++input)
    unlabelled.sensor("hwmon0", "temp" + std::to_string(input), "", 40'000 + input);
  unlabelled.sensor("hwmon0", "temp1", "", 62'000);
  CHECK(temperature_of(unlabelled) == 62);
}

TEST_CASE("ARM's processors are thermal zones, named as their boards do") {
  for (const char* type : {"cpu-thermal", "cpu_thermal", "CPU-therm", "cpuss0-thermal"}) {
    CAPTURE(type);
    ProcessorMachine arm;
    arm.zone(0, "GPU-therm", 80'000);
    arm.zone(1, type, 47'500);
    CHECK(temperature_of(arm) == 47.5);
  }
  ProcessorMachine other;
  other.zone(0, "acpitz", 30'000);
  Sampled sampled;
  sampled.ask(*make_processor_source(other.root()));
  CHECK(sampled.facts.count("na.cpu_temperature_c") == 1);
}

}  // namespace deepprof
