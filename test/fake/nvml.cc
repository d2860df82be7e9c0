// A stand-in for libnvidia-ml.so.1: no GPU behind it. FAKE_NVML describes its GPUs, in NVML's own
// order, parted by ';', each a list of settings parted by ',':
//
//   bus=0000:01:00.0     where it sits on the PCI bus
//   low=100000,high=300000,period_ms=500   power in mW, a square wave over the wall clock (nvml.h)
//   util=93  memory=1000000  temp=61  sm=1980  mem_clock=2619  throttle=4  pid=PID:BYTES
//   energy_resets_ms=N   the energy counter begins at 0 again every N ms (a driver that is loaded
//                        anew)
//   miss=NAME:N          every Nth call of a function ends with NVML_ERROR_UNKNOWN
//   fail=NAME:CODE       a function that always ends with an error; slow=NAME:MS one that takes its
//                        time
//   mig=1                the GPU is split
//
// Names are those of the functions, less "nvmlDeviceGet". Read at every nvmlInit_v2.
#include "test/fake/nvml.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <map>
#include <mutex>
#include <sstream>
#include <string>

#include "test/fake/clock.h"

namespace deepprof::fake {
namespace {

constexpr int kSuccess = 0, kUninitialized = 1, kNotSupported = 3, kNotFound = 6,
              kInsufficientSize = 7, kGpuIsLost = 15, kVersionMismatch = 25, kUnknown = 999;

struct Gpu {
  std::map<std::string, std::string> settings;
  std::map<std::string, int> calls;
  PowerCurve power;
  int64_t born_ns = 0;

  bool has(const std::string& name) const { return settings.count(name) != 0; }
  unsigned long long number(const std::string& name, unsigned long long otherwise) const {
    const auto found = settings.find(name);
    return found == settings.end() ? otherwise : strtoull(found->second.c_str(), nullptr, 10);
  }
};

struct Library {
  std::mutex mutex;
  bool ready = false;
  std::deque<Gpu> gpus;  // handles point at them; those of an earlier nvmlInit stay
  size_t first = 0;
};
Library& library() {
  static Library* const it = new Library;
  return *it;
}

Gpu make_gpu(const std::string& text) {
  Gpu gpu;
  std::istringstream settings(text);
  for (std::string setting; std::getline(settings, setting, ',');) {
    const size_t equals = setting.find('=');
    std::string name = setting.substr(0, equals),
                value = equals == std::string::npos ? "" : setting.substr(equals + 1);
    // fail=PowerUsage:3 becomes "fail PowerUsage"
    if (name == "fail" || name == "slow" || name == "miss") {
      name += " " + value.substr(0, value.find(':'));
      value = value.substr(value.find(':') + 1);
    }
    gpu.settings[name] = value;
  }
  gpu.power.low_mw = static_cast<double>(gpu.number("low", 100'000));
  gpu.power.high_mw =
      static_cast<double>(gpu.number("high", static_cast<unsigned long long>(gpu.power.low_mw)));
  gpu.power.period_ns = static_cast<int64_t>(gpu.number("period_ms", 1000)) * 1'000'000;
  gpu.born_ns = realtime_ns();
  return gpu;
}

// What every call does first: refuses, fails, misses or dawdles as it was told.
int enter(void* device, const char* function) {
  if (!library().ready) return kUninitialized;
  auto& gpu = *static_cast<Gpu*>(device);
  const std::string name = function;
  if (const auto ms = gpu.number("slow " + name, 0)) usleep(static_cast<useconds_t>(ms * 1000));
  const std::lock_guard lock(library().mutex);
  const int call = ++gpu.calls[name];
  if (const auto every = gpu.number("miss " + name, 0);
      every && static_cast<unsigned long long>(call) % every == 0)
    return kUnknown;
  return static_cast<int>(gpu.number("fail " + name, kSuccess));
}

template <typename Value, typename Read>
int answer(void* device, const char* function, Value* value, Read read) {
  const int code = enter(device, function);
  if (code == kSuccess) *value = static_cast<Value>(read(*static_cast<const Gpu*>(device)));
  return code;
}

}  // namespace

extern "C" {

int nvmlInit_v2() {
  Library& it = library();
  const std::lock_guard lock(it.mutex);
  const char* script = getenv("FAKE_NVML");
  std::istringstream gpus(script && *script ? script : "bus=0000:01:00.0");
  it.first = it.gpus.size();
  for (std::string gpu; std::getline(gpus, gpu, ';');) it.gpus.push_back(make_gpu(gpu));
  it.ready = true;
  return kSuccess;
}

const char* nvmlErrorString(int code) {
  return code == kNotSupported ? "Not Supported"
         : code == kNotFound   ? "Not Found"
         : code == kGpuIsLost  ? "GPU is lost"
                               : "Unknown Error";
}

int nvmlSystemGetDriverVersion(char* text, unsigned bytes) {
  strncpy(text, "stand-in", bytes);
  return kSuccess;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** device) {
  Library& it = library();
  for (size_t i = it.first; i < it.gpus.size(); ++i) {
    if (it.gpus[i].settings["bus"] != bus_id) continue;
    *device = &it.gpus[i];
    return kSuccess;
  }
  return kNotFound;
}

int nvmlDeviceGetIndex(void* device, unsigned* index) {
  for (size_t i = library().first; i < library().gpus.size(); ++i) {
    if (&library().gpus[i] == device) *index = static_cast<unsigned>(i - library().first);
  }
  return kSuccess;
}

int nvmlDeviceGetUUID(void* device, char* text, unsigned bytes) {
  strncpy(text, ("GPU-stand-in-at-" + static_cast<Gpu*>(device)->settings["bus"]).c_str(), bytes);
  return kSuccess;
}

int nvmlDeviceGetMigMode(void* device, unsigned* current, unsigned* pending) {
  const Gpu& gpu = *static_cast<Gpu*>(device);
  if (!gpu.has("mig")) return kNotSupported;
  *current = *pending = static_cast<unsigned>(gpu.number("mig", 0));
  return kSuccess;
}

int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  return answer(device, "TotalEnergyConsumption", millijoules, [](const Gpu& gpu) {
    const int64_t now_ns = realtime_ns();
    double since = gpu.power.energy_mj(gpu.born_ns, gpu.born_ns);
    if (const auto resets_ms = static_cast<int64_t>(gpu.number("energy_resets_ms", 0))) {
      const int64_t resets_ns = resets_ms * 1'000'000;
      since = gpu.power.energy_mj(gpu.born_ns, now_ns - (now_ns - gpu.born_ns) % resets_ns);
    } else {
      since -= 5e6;  // the GPU has run for a while
    }
    return gpu.power.energy_mj(gpu.born_ns, now_ns) - since;
  });
}

int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) {
  return answer(device, "PowerUsage", milliwatts,
                [](const Gpu& gpu) { return gpu.power.at(realtime_ns()); });
}

struct nvmlUtilization_t {
  unsigned gpu, memory;
};
int nvmlDeviceGetUtilizationRates(void* device, nvmlUtilization_t* utilization) {
  return answer(device, "UtilizationRates", utilization, [](const Gpu& gpu) {
    const auto percent = static_cast<unsigned>(gpu.number("util", 50));
    return nvmlUtilization_t{percent, percent / 2};
  });
}

struct nvmlMemory_t {
  unsigned long long total, free, used;
};
int nvmlDeviceGetMemoryInfo(void* device, nvmlMemory_t* memory) {
  return answer(device, "MemoryInfo", memory, [](const Gpu& gpu) {
    const unsigned long long total = 80ull << 30, used = gpu.number("memory", 1ull << 30);
    return nvmlMemory_t{total, total - used, used};
  });
}

struct nvmlProcessInfo_t {
  unsigned pid;
  unsigned long long used;
  unsigned gpu_instance, compute_instance;
};
int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count,
                                            nvmlProcessInfo_t* processes) {
  if (const int code = enter(device, "ComputeRunningProcesses"); code != kSuccess) return code;
  const Gpu& gpu = *static_cast<Gpu*>(device);
  const unsigned room = *count;
  *count = gpu.has("pid") ? 1 : 0;
  if (*count > room) return kInsufficientSize;
  if (*count == 0) return kSuccess;
  const std::string& pid = gpu.settings.at("pid");  // "self:BYTES" or "123:BYTES"
  processes[0] = {pid.compare(0, 4, "self") == 0 ? static_cast<unsigned>(getpid())
                                                 : static_cast<unsigned>(atoi(pid.c_str())),
                  strtoull(pid.substr(pid.find(':') + 1).c_str(), nullptr, 10), 0, 0};
  return kSuccess;
}

int nvmlDeviceGetTemperature(void* device, int, unsigned* celsius) {
  return answer(device, "Temperature", celsius,
                [](const Gpu& gpu) { return gpu.number("temp", 55); });
}

struct nvmlTemperature_v1_t {
  unsigned version;
  int sensor, temperature;
};
int nvmlDeviceGetTemperatureV(void* device, nvmlTemperature_v1_t* temperature) {
  constexpr unsigned kVersion1 = 0x100000c;
  if (temperature->version != kVersion1 || temperature->sensor != 0) return kVersionMismatch;
  return answer(device, "TemperatureV", &temperature->temperature,
                [](const Gpu& gpu) { return gpu.number("temp", 55); });
}

int nvmlDeviceGetClockInfo(void* device, int clock, unsigned* megahertz) {
  return answer(device, "ClockInfo", megahertz, [clock](const Gpu& gpu) {
    return clock == 1 ? gpu.number("sm", 1980) : gpu.number("mem_clock", 2619);
  });
}

int nvmlDeviceGetCurrentClocksEventReasons(void* device, unsigned long long* mask) {
  return answer(device, "CurrentClocksEventReasons", mask,
                [](const Gpu& gpu) { return gpu.number("throttle", 0); });
}

int nvmlDeviceGetPcieThroughput(void* device, int direction, unsigned* kibibytes) {
  return answer(device, "PcieThroughput", kibibytes, [direction](const Gpu& gpu) {
    return direction == 0 ? gpu.number("pcie_sent", 100) : gpu.number("pcie_received", 2000);
  });
}

}  // extern "C"
}  // namespace deepprof::fake
