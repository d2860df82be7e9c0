// The few functions of NVML that we call, declared by ourselves from NVIDIA's public API
// documentation and found by dlopen: the library must load where there is no NVML. test/sample
// compares them with NVIDIA's own headers where these are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "libdeepprof/result.h"

namespace deepprof::nvml {

using Return = int;
inline constexpr Return kSuccess = 0, kInvalidArgument = 2, kNotSupported = 3, kNoPermission = 4,
                        kInsufficientSize = 7, kFunctionNotFound = 13, kGpuIsLost = 15,
                        kResetRequired = 16, kDeprecated = 26;

inline constexpr int kTemperatureOfGpu = 0;
inline constexpr unsigned kTemperatureVersion = 0x100000c;
inline constexpr int kClockSm = 1, kClockMemory = 2;
inline constexpr int kPcieSent = 0, kPcieReceived = 1;
inline constexpr unsigned kMigEnabled = 1;
// A value that the driver does not know, among those that it does.
inline constexpr uint64_t kNoValue = UINT64_MAX;

using Device = void*;

struct Utilization {
  unsigned gpu, memory;  // percent
};
struct Memory {
  unsigned long long total, free, used;  // bytes
};
struct Temperature {
  unsigned version = kTemperatureVersion;  // set by the caller
  int sensor = kTemperatureOfGpu;          // likewise
  int celsius = 0;
};
struct Process {
  unsigned pid;
  unsigned long long used_memory;  // bytes, or kNoValue
  unsigned gpu_instance, compute_instance;
};

// Functions that this NVML lacks are null, but for those of `needed` in nvml.cc.
struct Api {
  Return (*init)() = nullptr;
  const char* (*error_text)(Return) = nullptr;
  Return (*driver_version)(char* text, unsigned bytes) = nullptr;
  Return (*device_by_pci_bus_id)(const char* bus_id, Device* device) = nullptr;
  Return (*index)(Device, unsigned* index) = nullptr;
  Return (*uuid)(Device, char* text, unsigned bytes) = nullptr;
  Return (*mig_mode)(Device, unsigned* current, unsigned* pending) = nullptr;
  Return (*total_energy)(Device, unsigned long long* millijoules) = nullptr;
  Return (*power)(Device, unsigned* milliwatts) = nullptr;
  Return (*utilization)(Device, Utilization*) = nullptr;
  Return (*memory)(Device, Memory*) = nullptr;
  Return (*processes)(Device, unsigned* count, Process* processes) = nullptr;
  Return (*temperature)(Device, int sensor, unsigned* celsius) = nullptr;  // deprecated since 13.0
  Return (*temperature_v)(Device, Temperature*) = nullptr;                 // in its place
  Return (*clock)(Device, int clock, unsigned* megahertz) = nullptr;
  Return (*clock_reasons)(Device, unsigned long long* mask) = nullptr;
  Return (*pcie_throughput)(Device, int direction, unsigned* kib_per_s) = nullptr;
};

// Loads libnvidia-ml.so.1 and initializes it, which may take a second. Never unloaded, never shut
// down: the job may use the same copy. An error says what is missing.
Result<Api> load();

std::string error_text(const Api& api, Return code);

}  // namespace deepprof::nvml
