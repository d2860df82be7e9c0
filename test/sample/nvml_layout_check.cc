// Compiled once for every genuine nvml.h that is there: our declarations against that release's
// own. A difference stops the build; there is nothing to run. nvml_numbers_test.py sees to it that
// every function that we look up is compared here under the name that it is looked up by.
#define NVML_NO_UNVERSIONED_FUNC_DEFS  // no macros that rename functions and structs
#include <nvml.h>

#include <cstddef>
#include <tuple>
#include <type_traits>

#include "libdeepprof/event/metric.h"
#include "libdeepprof/sample/nvml.h"

namespace deepprof::nvml {
namespace {

// What the calling convention cannot tell apart: enums and integers of one size, pointers to such,
// to opaque things and to structs of one size.
template <typename Ours, typename Theirs>
constexpr bool pass_alike() {
  if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
    using A = std::remove_cv_t<std::remove_pointer_t<Ours>>;
    using B = std::remove_cv_t<std::remove_pointer_t<Theirs>>;
    if constexpr (std::is_void_v<A>) return std::is_class_v<B>;  // a handle
    else if constexpr (std::is_class_v<A>) return std::is_class_v<B> && sizeof(A) == sizeof(B);
    else return !std::is_class_v<B> && pass_alike<A, B>();
  } else {
    return sizeof(Ours) == sizeof(Theirs) && !std::is_class_v<Theirs> &&
           !std::is_floating_point_v<Theirs> &&
           std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>;
  }
}

template <typename Ours, typename Theirs>
struct Calls;
template <typename R, typename... A, typename S, typename... B>
struct Calls<R (*)(A...), S (*)(B...)> {
  static constexpr bool alike() {
    if constexpr (sizeof...(A) != sizeof...(B)) return false;
    else return pass_alike<R, S>() && (pass_alike<A, B>() && ...);
  }
};

// `slot` of our Api is called as NVIDIA declares `function`.
#define SAME_CALL(slot, function) \
  static_assert(Calls<decltype(Api::slot), decltype(&::function)>::alike(), #function)

SAME_CALL(init, nvmlInit_v2);
SAME_CALL(error_text, nvmlErrorString);
SAME_CALL(driver_version, nvmlSystemGetDriverVersion);
SAME_CALL(device_by_pci_bus_id, nvmlDeviceGetHandleByPciBusId_v2);
SAME_CALL(index, nvmlDeviceGetIndex);
SAME_CALL(uuid, nvmlDeviceGetUUID);
SAME_CALL(mig_mode, nvmlDeviceGetMigMode);
SAME_CALL(total_energy, nvmlDeviceGetTotalEnergyConsumption);
SAME_CALL(power, nvmlDeviceGetPowerUsage);
SAME_CALL(utilization, nvmlDeviceGetUtilizationRates);
SAME_CALL(memory, nvmlDeviceGetMemoryInfo);
SAME_CALL(processes, nvmlDeviceGetComputeRunningProcesses_v3);
SAME_CALL(processes, nvmlDeviceGetComputeRunningProcesses_v2);
SAME_CALL(temperature, nvmlDeviceGetTemperature);
SAME_CALL(clock, nvmlDeviceGetClockInfo);
SAME_CALL(clock_reasons, nvmlDeviceGetCurrentClocksThrottleReasons);
SAME_CALL(pcie_throughput, nvmlDeviceGetPcieThroughput);
#if NVML_API_VERSION >= 12
SAME_CALL(temperature_v, nvmlDeviceGetTemperatureV);
SAME_CALL(clock_reasons, nvmlDeviceGetCurrentClocksEventReasons);
#endif

#define SAME_MEMBER(ours, our_member, theirs, their_member)                       \
  static_assert(offsetof(ours, our_member) == offsetof(::theirs, their_member) && \
                    sizeof(ours::our_member) == sizeof(::theirs::their_member),   \
                #theirs "." #their_member)

SAME_MEMBER(Utilization, gpu, nvmlUtilization_t, gpu);
SAME_MEMBER(Utilization, memory, nvmlUtilization_t, memory);
SAME_MEMBER(Memory, total, nvmlMemory_t, total);
SAME_MEMBER(Memory, free, nvmlMemory_t, free);
SAME_MEMBER(Memory, used, nvmlMemory_t, used);
SAME_MEMBER(Process, pid, nvmlProcessInfo_t, pid);
SAME_MEMBER(Process, used_memory, nvmlProcessInfo_t, usedGpuMemory);
SAME_MEMBER(Process, gpu_instance, nvmlProcessInfo_t, gpuInstanceId);
SAME_MEMBER(Process, compute_instance, nvmlProcessInfo_t, computeInstanceId);
#if NVML_API_VERSION >= 12
SAME_MEMBER(Temperature, version, nvmlTemperature_v1_t, version);
SAME_MEMBER(Temperature, sensor, nvmlTemperature_v1_t, sensorType);
SAME_MEMBER(Temperature, celsius, nvmlTemperature_v1_t, temperature);
static_assert(kTemperatureVersion == nvmlTemperature_v1);
#endif

static_assert(kSuccess == NVML_SUCCESS);
static_assert(kInvalidArgument == NVML_ERROR_INVALID_ARGUMENT);
static_assert(kNotSupported == NVML_ERROR_NOT_SUPPORTED);
static_assert(kNoPermission == NVML_ERROR_NO_PERMISSION);
static_assert(kInsufficientSize == NVML_ERROR_INSUFFICIENT_SIZE);
static_assert(kFunctionNotFound == NVML_ERROR_FUNCTION_NOT_FOUND);
static_assert(kGpuIsLost == NVML_ERROR_GPU_IS_LOST);
static_assert(kResetRequired == NVML_ERROR_RESET_REQUIRED);
#if NVML_API_VERSION >= 12
static_assert(kDeprecated == NVML_ERROR_DEPRECATED);
#endif
static_assert(kTemperatureOfGpu == NVML_TEMPERATURE_GPU);
static_assert(kClockSm == NVML_CLOCK_SM && kClockMemory == NVML_CLOCK_MEM);
static_assert(kPcieSent == NVML_PCIE_UTIL_TX_BYTES && kPcieReceived == NVML_PCIE_UTIL_RX_BYTES);
static_assert(kMigEnabled == NVML_DEVICE_MIG_ENABLE);
static_assert(kNoValue == static_cast<unsigned long long>(NVML_VALUE_NOT_AVAILABLE));
static_assert(kThrottleBits ==
              (nvmlClocksThrottleReasonSwPowerCap | nvmlClocksThrottleReasonHwSlowdown |
               nvmlClocksThrottleReasonSwThermalSlowdown |
               nvmlClocksThrottleReasonHwThermalSlowdown |
               nvmlClocksThrottleReasonHwPowerBrakeSlowdown));
// The longest text that a call of ours gives room for.
static_assert(NVML_DEVICE_UUID_V2_BUFFER_SIZE <= 96);
static_assert(NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE <= 96);

}  // namespace
}  // namespace deepprof::nvml
