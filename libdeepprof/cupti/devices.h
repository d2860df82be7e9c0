// What the driver says about devices: name, multiprocessors, memory, place. Asked once a device,
// from the control thread, through the driver that the job has loaded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libdeepprof/capture/definitions.h"

namespace deepprof::cupti {

// Nothing where no driver is loaded or it does not know the device.
std::optional<DeviceDefinition> describe_device(uint32_t device);

// Where each device that CUDA shows this process sits on the PCI bus: "0000:41:00.0", by CUDA's
// number. Empty for one that the driver does not tell of.
std::vector<std::string> device_bus_ids();

}  // namespace deepprof::cupti
