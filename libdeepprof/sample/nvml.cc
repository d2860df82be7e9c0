#include "libdeepprof/sample/nvml.h"

#include <dlfcn.h>

#include "libdeepprof/text.h"

namespace deepprof::nvml {
namespace {

template <typename Function>
void bind(void* library, Function& slot, const char* name, const char* older_name = nullptr) {
  void* found = ::dlsym(library, name);
  if (found == nullptr && older_name != nullptr) found = ::dlsym(library, older_name);
  slot = reinterpret_cast<Function>(found);
}

Api bind_all(void* library) {
  Api api;
  bind(library, api.init, "nvmlInit_v2");
  bind(library, api.error_text, "nvmlErrorString");
  bind(library, api.driver_version, "nvmlSystemGetDriverVersion");
  bind(library, api.device_by_pci_bus_id, "nvmlDeviceGetHandleByPciBusId_v2");
  bind(library, api.index, "nvmlDeviceGetIndex");
  bind(library, api.uuid, "nvmlDeviceGetUUID");
  bind(library, api.mig_mode, "nvmlDeviceGetMigMode");
  bind(library, api.total_energy, "nvmlDeviceGetTotalEnergyConsumption");
  bind(library, api.power, "nvmlDeviceGetPowerUsage");
  bind(library, api.utilization, "nvmlDeviceGetUtilizationRates");
  bind(library, api.memory, "nvmlDeviceGetMemoryInfo");
  // _v2 and _v3 fill the same struct; before them it was a shorter one, which is not read.
  bind(library, api.processes, "nvmlDeviceGetComputeRunningProcesses_v3",
       "nvmlDeviceGetComputeRunningProcesses_v2");
  bind(library, api.temperature, "nvmlDeviceGetTemperature");
  bind(library, api.temperature_v, "nvmlDeviceGetTemperatureV");
  bind(library, api.clock, "nvmlDeviceGetClockInfo");
  // Renamed in the 535 driver; the bits are the same.
  bind(library, api.clock_reasons, "nvmlDeviceGetCurrentClocksEventReasons",
       "nvmlDeviceGetCurrentClocksThrottleReasons");
  bind(library, api.pcie_throughput, "nvmlDeviceGetPcieThroughput");
  return api;
}

}  // namespace

Result<Api> load() {
  void* library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Error{"libnvidia-ml.so.1 is not on this machine"};
  const Api api = bind_all(library);
  if (api.init == nullptr || api.device_by_pci_bus_id == nullptr) {
    return Error{"libnvidia-ml.so.1 lacks nvmlInit_v2 or nvmlDeviceGetHandleByPciBusId_v2"};
  }
  if (const Return code = api.init(); code != kSuccess)
    return Error{"nvmlInit_v2: " + error_text(api, code)};
  return api;
}

std::string error_text(const Api& api, Return code) {
  const char* text = api.error_text != nullptr ? api.error_text(code) : nullptr;
  return text != nullptr ? text : format_text("NVML error %d", code);
}

}  // namespace deepprof::nvml
