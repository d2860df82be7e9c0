// What the driver says about a device: name, multiprocessors, memory. Asked once a device, from the control
// thread, through the driver that the job has loaded.
#pragma once

#include <cstdint>
#include <optional>

#include "libdeepprof/capture/definitions.h"

namespace deepprof::cupti {

// Nothing where no driver is loaded or it does not know the device.
std::optional<DeviceDefinition> describe_device(uint32_t device);

}  // namespace deepprof::cupti
