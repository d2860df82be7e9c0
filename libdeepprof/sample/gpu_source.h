// The job's GPUs as the driver's management library sees them: energy, power, utilization, memory,
// temperature, clocks, throttling, PCIe. Its figures are of the whole GPU, whoever uses it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "libdeepprof/sample/source.h"

namespace deepprof {

// CUDA numbers devices anew in each process (CUDA_VISIBLE_DEVICES, CUDA_DEVICE_ORDER); only the bus
// id means the same to CUDA and to NVML.
struct VisibleGpu {
  uint32_t device = 0;     // CUDA's number
  std::string pci_bus_id;  // as CUDA writes it: "0000:41:00.0", which NVML takes, too
  // the job has run something on it: asked at every tick, else once a second, and not for what
  // blocks
  bool used = false;
};

// What the control thread has found, for the sampler to take up.
class VisibleGpus {
 public:
  void set(std::vector<VisibleGpu> gpus) {
    const std::lock_guard lock(mutex_);
    gpus_ = std::move(gpus);
    ++version_;
  }
  // True, and the list, where it is not that of `version`.
  bool take_newer(uint64_t& version, std::vector<VisibleGpu>& gpus) const {
    const std::lock_guard lock(mutex_);
    if (version == version_) return false;
    version = version_;
    gpus = gpus_;
    return true;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<VisibleGpu> gpus_;
  uint64_t version_ = 0;
};

// Loads NVML when the first GPU shows up, not before. `gpus` must outlive it. `clock` is the
// monotonic one.
std::unique_ptr<SampleSource> make_gpu_source(const VisibleGpus& gpus, uint32_t process,
                                              int64_t (*clock)() = monotonic_ns);

}  // namespace deepprof
