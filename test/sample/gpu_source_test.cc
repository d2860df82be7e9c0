// The GPUs through the stand-in for libnvidia-ml.so.1 (test/fake/nvml.cc).
#include "libdeepprof/sample/gpu_source.h"

#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "test/sample/sampled.h"
#include "test/support/catch.h"

namespace deepprof {
namespace {

using test::Sampled;

// Stands still but between ticks, however slow this machine is.
int64_t now_ns = 0;
int64_t ticking_clock() { return now_ns; }
constexpr int64_t kTick_ns = 100'000'000;

struct Machine {
  explicit Machine(const char* nvml, int64_t (*clock)() = ticking_clock) {
    ::setenv("FAKE_NVML", nvml, 1);
    source = make_gpu_source(gpus, static_cast<uint32_t>(::getpid()), clock);
  }
  void ask(int times = 1) {
    for (int i = 0; i < times; ++i, now_ns += kTick_ns) sampled.ask(*source);
  }
  VisibleGpus gpus;
  std::unique_ptr<SampleSource> source;
  Sampled sampled;
};

}  // namespace

TEST_CASE("nothing is asked before the job has shown a GPU") {
  Machine machine("bus=0000:01:00.0");
  machine.ask();
  CHECK(machine.sampled.values.empty());
  CHECK(machine.sampled.facts.empty());
}

TEST_CASE("a GPU is known by its place on the bus, whatever number CUDA gives it") {
  // NVML's first GPU is CUDA's second.
  Machine machine(
      "bus=0000:01:00.0,temp=40,low=23000;bus=0000:41:00.0,temp=80,low=152000,pid=self:4096");
  machine.gpus.set({{0, "0000:41:00.0", true}, {1, "0000:01:00.0", true}});
  machine.ask();
  CHECK(machine.sampled.last(Metric::gpu_temperature, 0) == 80);
  CHECK(machine.sampled.last(Metric::gpu_power, 0) == 152'000);
  CHECK(machine.sampled.last(Metric::gpu_temperature, 1) == 40);
  CHECK(machine.sampled.last(Metric::gpu_power, 1) == 23'000);
  CHECK(machine.sampled.last(Metric::gpu_process_memory, 0) == 4096);
  CHECK(machine.sampled.facts.at("gpu.0.nvml_index") == "1");
  CHECK(machine.sampled.facts.at("gpu.1.uuid") == "GPU-stand-in-at-0000:01:00.0");
}

TEST_CASE("values come in the units of their names") {
  Machine machine(
      "bus=0000:01:00.0,util=93,memory=123456,sm=1410,mem_clock=1593,throttle=4,pcie_sent=10,pcie_"
      "received=20");
  machine.gpus.set({{0, "0000:01:00.0", true}});
  machine.ask();
  CHECK(machine.sampled.last(Metric::gpu_utilization, 0) == 0.93);
  CHECK(machine.sampled.last(Metric::gpu_memory_activity, 0) == 0.46);
  CHECK(machine.sampled.last(Metric::gpu_memory_used, 0) == 123456);
  CHECK(machine.sampled.last(Metric::gpu_sm_clock, 0) == 1410);
  CHECK(machine.sampled.last(Metric::gpu_memory_clock, 0) == 1593);
  CHECK(machine.sampled.last(Metric::gpu_throttle, 0) == 4);
  CHECK(machine.sampled.last(Metric::gpu_pcie_sent, 0) == 10'240);
  CHECK(machine.sampled.last(Metric::gpu_pcie_received, 0) == 20'480);
}

TEST_CASE("a counter that the GPU lacks is n/a with NVML's word for it, and not asked again") {
  Machine machine("bus=0000:01:00.0,fail=TotalEnergyConsumption:3");
  machine.gpus.set({{0, "0000:01:00.0", true}});
  machine.ask(3);
  CHECK(machine.sampled.count(Metric::gpu_energy, 0) == 0);
  CHECK(machine.sampled.facts.at("na.gpu_energy_mj.gpu0") == "Not Supported");
  CHECK(machine.sampled.count(Metric::gpu_power, 0) == 3);
}

TEST_CASE("a reading that fails now and then is a sample less, not the end of the series") {
  Machine machine("bus=0000:01:00.0,miss=PowerUsage:3");
  machine.gpus.set({{0, "0000:01:00.0", true}});
  machine.ask(9);
  CHECK(machine.sampled.count(Metric::gpu_power, 0) == 6);
  CHECK(machine.sampled.facts.count("na.gpu_power_mw.gpu0") == 0);
}

TEST_CASE(
    "values that cannot be are no samples: they are counted, and n/a where nothing else comes") {
  Machine machine(
      "bus=0000:01:00.0,util=4294967295,temp=4294967290,low=0,memory=99000000000000,throttle="
      "18446744073709551615");
  machine.gpus.set({{0, "0000:01:00.0", true}});
  machine.ask(110);
  for (const Metric metric :
       {Metric::gpu_utilization, Metric::gpu_memory_activity, Metric::gpu_temperature,
        Metric::gpu_power, Metric::gpu_memory_used, Metric::gpu_throttle}) {
    CHECK(machine.sampled.count(metric, 0) == 0);
  }
  CHECK(machine.sampled.count(Metric::gpu_sm_clock, 0) == 11);
  CHECK(std::stoi(machine.sampled.facts.at("samples_impossible")) > 150);
  CHECK(machine.sampled.facts.at("na.gpu_power_mw.gpu0") == "NVML gives values that cannot be");
  CHECK(machine.sampled.facts.count("na.gpu_utilization_ratio.gpu0") == 1);
}

TEST_CASE("of a GPU split by MIG only what is of the whole GPU is sampled") {
  Machine machine("bus=0000:01:00.0,mig=1");
  machine.gpus.set({{0, "0000:01:00.0", true}});
  machine.ask(2);
  CHECK(machine.sampled.count(Metric::gpu_utilization, 0) == 0);
  CHECK(machine.sampled.count(Metric::gpu_memory_used, 0) == 0);
  CHECK(machine.sampled.count(Metric::gpu_power, 0) == 2);
  CHECK(machine.sampled.facts.at("gpu.0.mig") == "1");
}

TEST_CASE("temperature, clocks and throttling are asked once a second") {
  Machine machine("bus=0000:01:00.0");
  machine.gpus.set({{0, "0000:01:00.0", true}});
  machine.ask(20);
  CHECK(machine.sampled.count(Metric::gpu_power, 0) == 20);
  CHECK(machine.sampled.count(Metric::gpu_temperature, 0) == 2);
}

TEST_CASE("a GPU that the job only sees is asked once a second, one that it uses at every tick") {
  Machine machine("bus=0000:01:00.0;bus=0000:02:00.0");
  machine.gpus.set({{0, "0000:01:00.0", true}, {1, "0000:02:00.0", false}});
  machine.ask(4);
  CHECK(machine.sampled.count(Metric::gpu_power, 0) == 4);
  CHECK(machine.sampled.count(Metric::gpu_power, 1) == 1);
  machine.gpus.set({{0, "0000:01:00.0", true}, {1, "0000:02:00.0", true}});
  machine.ask(4);
  CHECK(machine.sampled.count(Metric::gpu_power, 1) == 5);
}

TEST_CASE("PCIe throughput, which blocks, is not asked of a GPU that the job only sees") {
  Machine machine("bus=0000:01:00.0;bus=0000:02:00.0");
  machine.gpus.set({{0, "0000:01:00.0", true}, {1, "0000:02:00.0", false}});
  machine.ask(30);
  CHECK(machine.sampled.count(Metric::gpu_pcie_sent, 0) == 3);
  CHECK(machine.sampled.count(Metric::gpu_pcie_sent, 1) == 0);
  CHECK(machine.sampled.count(Metric::gpu_temperature, 1) == 3);
}

TEST_CASE("where the older temperature is gone the newer function is asked") {
  for (const char* nvml : {"bus=0000:01:00.0,temp=71,fail=Temperature:3",
                           "bus=0000:01:00.0,temp=71,fail=Temperature:26"}) {
    Machine machine(nvml);
    machine.gpus.set({{0, "0000:01:00.0", true}});
    machine.ask(20);
    CHECK(machine.sampled.count(Metric::gpu_temperature, 0) == 2);
    CHECK(machine.sampled.last(Metric::gpu_temperature, 0) == 71);
  }
  Machine neither("bus=0000:01:00.0,fail=Temperature:3,fail=TemperatureV:3");
  neither.gpus.set({{0, "0000:01:00.0", true}});
  neither.ask(20);
  CHECK(neither.sampled.count(Metric::gpu_temperature, 0) == 0);
  CHECK(neither.sampled.facts.at("na.gpu_temperature_c.gpu0") == "Not Supported");
}

TEST_CASE("a GPU that wants a reset is asked once, not fifty times") {
  Machine machine("bus=0000:01:00.0,fail=PowerUsage:16");
  machine.gpus.set({{0, "0000:01:00.0", true}});
  machine.ask(2);
  CHECK(machine.sampled.facts.count("na.gpu_power_mw.gpu0") == 1);
}

TEST_CASE("a slow call is asked so seldom that it takes a hundredth of the time") {
  Machine machine("bus=0000:01:00.0,slow=PowerUsage:40", monotonic_ns);
  machine.gpus.set({{0, "0000:01:00.0", true}});
  machine.ask(5);
  CHECK(machine.sampled.count(Metric::gpu_power, 0) == 1);
}

TEST_CASE("a pace holds its period in ticks that come a little early, and spares what takes long") {
  constexpr int64_t kMillisecond_ns = 1'000'000;
  Pace second(1000 * kMillisecond_ns);
  CHECK(second.due(0, false));
  second.ran(0, kMillisecond_ns);
  CHECK_FALSE(second.due(900 * kMillisecond_ns, false));
  CHECK(second.due(999 * kMillisecond_ns, false));
  Pace every_tick(0);
  every_tick.ran(0, kMillisecond_ns);
  CHECK(every_tick.due(2 * kMillisecond_ns, false));
  every_tick.ran(0, 20 * kMillisecond_ns);
  CHECK_FALSE(every_tick.due(1999 * kMillisecond_ns, false));
  CHECK(every_tick.due(2000 * kMillisecond_ns, false));
  CHECK_FALSE(every_tick.due(1999 * kMillisecond_ns, true));
}

TEST_CASE("at the last tick what takes no time is due again, but not twice at once") {
  constexpr int64_t kMillisecond_ns = 1'000'000;
  Pace second(1000 * kMillisecond_ns);
  second.ran(0, kMillisecond_ns);
  CHECK_FALSE(second.due(400 * kMillisecond_ns, false));
  CHECK(second.due(400 * kMillisecond_ns, true));
  CHECK_FALSE(second.due(99 * kMillisecond_ns, true));
}

TEST_CASE("a lost GPU is told of and left alone, a strange one is told of") {
  Machine machine("bus=0000:01:00.0,fail=PowerUsage:15");
  machine.gpus.set({{0, "0000:01:00.0", true}, {1, "0000:77:00.0", true}});
  machine.ask(3);
  CHECK(machine.sampled.facts.at("gpu.0.lost") == "1");
  CHECK(machine.sampled.count(Metric::gpu_energy, 0) == 1);
  CHECK(machine.sampled.facts.at("na.gpu1").find("0000:77:00.0") != std::string::npos);
}

TEST_CASE("where NVML does not list this process its memory is n/a after a while") {
  Machine machine("bus=0000:01:00.0,pid=1:4096");
  machine.gpus.set({{0, "0000:01:00.0", true}});
  machine.ask(20);
  CHECK(machine.sampled.facts.count("na.gpu_process_memory_bytes.gpu0") == 0);
  machine.ask(500);
  CHECK(machine.sampled.count(Metric::gpu_process_memory, 0) == 0);
  CHECK(machine.sampled.facts.count("na.gpu_process_memory_bytes.gpu0") == 1);
}

}  // namespace deepprof
