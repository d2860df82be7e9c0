#include "libdeepprof/cupti/devices.h"

#include <dlfcn.h>

namespace deepprof::cupti {
namespace {

// CUdevice_attribute.
constexpr int kMultiprocessors = 16, kThreadsPerMultiprocessor = 39, kComputeMajor = 75,
              kComputeMinor = 76;

struct Driver {
  int (*get_device)(int* device, int ordinal) = nullptr;
  int (*get_name)(char* name, int bytes, int device) = nullptr;
  int (*get_memory)(size_t* bytes, int device) = nullptr;
  int (*get_attribute)(int* value, int attribute, int device) = nullptr;
  int (*get_count)(int* count) = nullptr;
  int (*get_bus_id)(char* bus_id, int bytes, int device) = nullptr;
};

template <typename Function>
void bind(void* library, const char* name, Function& slot) {
  slot = reinterpret_cast<Function>(::dlsym(library, name));
}

Driver bind_driver() {
  Driver driver;
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return driver;
  bind(library, "cuDeviceGet", driver.get_device);
  bind(library, "cuDeviceGetName", driver.get_name);
  bind(library, "cuDeviceTotalMem_v2", driver.get_memory);
  bind(library, "cuDeviceGetAttribute", driver.get_attribute);
  bind(library, "cuDeviceGetCount", driver.get_count);
  bind(library, "cuDeviceGetPCIBusId", driver.get_bus_id);
  return driver;
}

uint32_t attribute(const Driver& driver, int which, int device) {
  int value = 0;
  const bool known =
      driver.get_attribute != nullptr && driver.get_attribute(&value, which, device) == 0;
  return known && value > 0 ? static_cast<uint32_t>(value) : 0;
}

}  // namespace

std::optional<DeviceDefinition> describe_device(uint32_t device) {
  const Driver driver = bind_driver();
  int handle = 0;
  if (driver.get_device == nullptr || driver.get_device(&handle, static_cast<int>(device)) != 0)
    return {};
  DeviceDefinition definition{};
  definition.id = device;
  char name[256] = "";
  if (driver.get_name != nullptr && driver.get_name(name, sizeof name, handle) == 0)
    definition.name = name;
  size_t bytes = 0;
  if (driver.get_memory != nullptr && driver.get_memory(&bytes, handle) == 0)
    definition.memory_bytes = bytes;
  definition.sm_count = attribute(driver, kMultiprocessors, handle);
  definition.compute_major = attribute(driver, kComputeMajor, handle);
  definition.compute_minor = attribute(driver, kComputeMinor, handle);
  definition.max_threads_per_sm = attribute(driver, kThreadsPerMultiprocessor, handle);
  return definition;
}

std::vector<std::string> device_bus_ids() {
  const Driver driver = bind_driver();
  int count = 0;
  if (driver.get_device == nullptr || driver.get_count == nullptr || driver.get_bus_id == nullptr)
    return {};
  if (driver.get_count(&count) != 0) return {};
  std::vector<std::string> ids(static_cast<size_t>(count));
  for (int device = 0; device < count; ++device) {
    int handle = 0;
    char id[32] = "";
    if (driver.get_device(&handle, device) == 0 && driver.get_bus_id(id, sizeof id, handle) == 0) {
      ids[static_cast<size_t>(device)] = id;
    }
  }
  return ids;
}

}  // namespace deepprof::cupti
